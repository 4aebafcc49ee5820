import pytest

from agent.nodes.paper_relevance import paper_relevance

NO_DATA_WORDS = (
    "homicide", "homicides", "offense", "offenses", "community", "area", "areas", "property", "location", "locations",
    "risk", "category", "categories",
)  # fmt: skip
TABLE_14 = [
    ("List all distinct location risk categories.", ("list",), ()),
    ("What is the arrest rate for each crime category?", (), ("arrest", "crime")),
    ("Which 5 districts (by name) have the highest number of arrests?", (), ("arrest", "district")),
    ("Which districts (by name) had more than 20000 crimes in 2024?", (), ("crime", "district")),
    ("Which year had the highest number of homicide offenses?", (), ("year",)),
    ("Which community areas (by name) had more than 5000 property crimes?", (), ("crime",)),
]


@pytest.mark.parametrize(("question", "actions", "words"), TABLE_14)
def test_the_rule_gives_the_columns_of_the_papers_table_14(question, actions, words):
    verdict = paper_relevance(question)
    assert (verdict.action_phrases, verdict.data_words) == (actions, words)
    assert verdict.verdict == "out_of_scope"
    assert verdict.rule == "paper"


@pytest.mark.parametrize(
    "question",
    ["How many crimes were there in 2024?", "SHOW ME THEFTS BY WARD", "Count the burglaries", "how  many arrests?"],
)
def test_the_rule_passes(question):
    assert paper_relevance(question).verdict == "in_scope"


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("How many people live here?", "no data word"),
        ("Thefts by month", "no action phrase"),
        ("Hello there", "no action phrase and no data word"),
        ("Enlist the criminally insane?", "no action phrase and no data word"),
    ],
)
def test_the_reason_says_what_is_missing(question, missing):
    assert missing in paper_relevance(question).reason


@pytest.mark.parametrize("text", NO_DATA_WORDS)
def test_words_that_are_no_data_words(text):
    assert paper_relevance(f"list {text}").data_words == ()


@pytest.mark.parametrize("text", ["which", "what is the", "the highest number", "more than"])
def test_phrases_that_are_no_action_phrases(text):
    assert paper_relevance(f"{text} crimes").action_phrases == ()
