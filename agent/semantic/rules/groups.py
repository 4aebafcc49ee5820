"""Composition rules for what rows are grouped by."""

from agent.semantic.algebra import Dimension
from agent.semantic.grammar import Atom, Match, RuleBook
from agent.semantic.meanings import Condition
from agent.semantic.model import load_model
from agent.semantic.rules.bodies import grouping

GROUPS = RuleBook()


@GROUPS.rule(
    "(each|by|both)+ (num)? (name)? (dim) (name|code)? "
    "((comma (each|by)? dim (name|code)?)* comma? (and|or) (each|by)? dim (name|code)?)?"
)
def grouped(match: Match) -> list[Atom] | None:
    """By district; for each year and season; per community area name."""
    role = "each" if any(atom.kind == "each" for atom in match.atoms) else "by"
    made: list[Atom] = []
    for index, atom in enumerate(match.atoms):
        if atom.kind != "dim":
            continue
        following = match.atoms[index + 1].kind if index + 1 < len(match.atoms) else ""
        made.append(grouping(_shown(atom.value, following), role, atom))
    if match.before and match.before[-1].kind in {"change", "than"} and match.atoms[0].kind == "by":
        return None
    return made


def _shown(dimension: object, marker: str) -> Dimension:
    assert isinstance(dimension, Dimension)
    if dimension.lookup is None or marker not in {"name", "code"}:
        return dimension
    return Dimension(dimension.name, dimension.column, None, dimension.lookup, marker == "name", False, "")


@GROUPS.rule("(universal) (one)? (num)? (dim)")
def universal(match: Match) -> list[Atom]:
    """Recorded in every one of the 77 community areas; beside a ranking it means in each of them."""
    target = match.groups[3][0]
    if any(atom.kind in {"most", "least", "superlative", "top"} for atom in (*match.before, *match.after)):
        assert isinstance(target.value, Dimension)
        return [grouping(target.value, "each", target)]
    return [Atom("universal_group", target.value, match.groups[0][0].words, match.atoms[0].at)]


@GROUPS.rule("each (cond)")
def each_value(match: Match) -> list[Atom] | None:
    """For each of the property, violent and drug categories."""
    condition = match.groups[0][0].value
    assert isinstance(condition, Condition)
    if not condition.coordinated or len(condition.columns) != 1:
        return None
    (column,) = condition.columns
    dimension = next(d for d in load_model().dimensions.values() if d.column == column and not d.expression)
    return [grouping(dimension, "each", match.atoms[0]), match.groups[0][0]]
