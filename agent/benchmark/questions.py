"""A question set: questions in plain English with the SQL that answers them, read from one YAML file."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BeforeValidator, ConfigDict, TypeAdapter, ValidationError

from include.errors import UsageError

Tier = Literal["easy", "medium", "hard"]
QUESTIONS_FILE = Path(__file__).with_name("questions.yaml")
SHOWN_FAULTS = 8


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _trimmed(value: object) -> object:
    return value.strip() if isinstance(value, str) else value


@dataclass(frozen=True)
class Question:
    """One question and what counts as its answer.

    Attributes:
        id: unique in its set.
        gold: the accepted SQL texts; a result equal to any of them is right.
        ordered: the question asks for an order of rows.
        years: the years the question needs; a snapshot without one of them cannot answer it.
        extra_columns: output columns of a gold that the question does not ask for; right with or without them.
        scale: a percentage and a share are both right.
        tags: what the question exercises.
        reserved: feeds the few-shot prompts and is not scored.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    id: int
    tier: Tier
    question: Annotated[str, BeforeValidator(_trimmed)]
    gold: Annotated[tuple[str, ...], BeforeValidator(_as_list)]
    ordered: bool = False
    years: tuple[int, ...] = ()
    extra_columns: tuple[str, ...] = ()
    scale: bool = False
    tags: tuple[str, ...] = ()
    reserved: bool = False


@dataclass(frozen=True)
class QuestionSet:
    """All questions of one file, in the order of their ids."""

    name: str
    version: int
    questions: tuple[Question, ...]

    @property
    def scored(self) -> tuple[Question, ...]:
        """The questions that count: all but the reserved ones."""
        return tuple(question for question in self.questions if not question.reserved)

    @property
    def reserved(self) -> tuple[Question, ...]:
        """The questions that feed the few-shot prompts."""
        return tuple(question for question in self.questions if question.reserved)

    @property
    def content_hash(self) -> str:
        """SHA-256 of everything that can move a score; comments and layout of the file do not."""
        text = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def get(self, question_id: int) -> Question:
        """Return the question of an id.

        Raises:
            UsageError: the set has no such question.
        """
        for question in self.questions:
            if question.id == question_id:
                return question
        raise UsageError(f"no question {question_id} in {self.name}", expected=_id_range(self.questions))


class _File(QuestionSet):
    """The file's own form, which is checked strictly: an unknown key is a typing error."""

    __pydantic_config__ = ConfigDict(extra="forbid")


def load_questions(path: Path | None = None) -> QuestionSet:
    """Read and check a question file; None = the set of 100 that comes with the platform.

    Raises:
        UsageError: the file is missing, is no YAML, or breaks the format; the message names up to eight faults.
    """
    path = path or QUESTIONS_FILE
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}", expected="a YAML file of questions") from error
    except yaml.YAMLError as error:
        raise UsageError(f"{path} is no valid YAML: {error}", action="mend the place named") from error
    try:
        read = TypeAdapter(_File).validate_python(document)
    except ValidationError as error:
        raise _broken(path, [_fault(item["loc"], item["msg"], document) for item in error.errors()]) from error
    if faults := list(_faults(read.questions)):
        raise _broken(path, faults)
    ordered = tuple(sorted(read.questions, key=lambda question: question.id))
    return QuestionSet(name=read.name, version=read.version, questions=ordered)


def _faults(questions: tuple[Question, ...]) -> Iterable[str]:
    if not questions:
        yield "no questions"
    for question_id, times in Counter(question.id for question in questions).items():
        if times > 1:
            yield f"question {question_id}: its id is used {times} times"
    for text, times in Counter(question.question.casefold() for question in questions).items():
        if times > 1:
            yield f"the question {text!r} is asked {times} times"
    for question in questions:
        if not question.question:
            yield f"question {question.id}: its text is empty"
        if not question.gold or not all(sql.strip() for sql in question.gold):
            yield f"question {question.id}: it needs at least one gold, none empty"


def _fault(loc: tuple[int | str, ...], message: str, document: object) -> str:
    place = ".".join(str(part) for part in loc)
    if len(loc) > 1 and loc[0] == "questions" and isinstance(document, dict) and isinstance(loc[1], int):
        item = document["questions"][loc[1]]
        name = item.get("id", f"at place {loc[1] + 1}") if isinstance(item, dict) else f"at place {loc[1] + 1}"
        place = f"question {name}" + "".join(f", {part}" for part in loc[2:])
    return f"{place}: {message}" if place else message


def _broken(path: Path, faults: list[str]) -> UsageError:
    shown = "; ".join(faults[:SHOWN_FAULTS])
    more = f"; and {len(faults) - SHOWN_FAULTS} more" if len(faults) > SHOWN_FAULTS else ""
    return UsageError(f"{path.name}: {shown}{more}", expected="the format described at the head of questions.yaml")


def _id_range(questions: tuple[Question, ...]) -> str:
    return f"an id from {questions[0].id} to {questions[-1].id}"
