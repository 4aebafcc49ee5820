"""The rule engine: composition rules are patterns over kinds of atoms and rewrite what they match.

Each kind is encoded as one character, so that a pattern compiles to an ordinary regular expression over the encoded
sequence: `most (cond|pop)+` means a superlative followed by conditions or population nouns.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

CODES: dict[str, str] = {}
_WORD = re.compile(r"[a-z_]+|\s+")
_REPEATED = re.compile(r"\(([^()?]*)\)([*+])")
"""A repeated group captures all of its repetitions, not the last only."""


@dataclass(frozen=True)
class Atom:
    """A piece of the question with a kind and a meaning.

    Attributes:
        kind: what rules match on.
        value: what it means; its type depends on the kind.
        words: the question's words behind it.
        at: index of the first token.
    """

    kind: str
    value: object = None
    words: str = ""
    at: int = 0


@dataclass(frozen=True)
class Match:
    """What a rule sees: the matched atoms, the groups of its pattern, and its neighbours."""

    atoms: list[Atom]
    groups: tuple[list[Atom], ...]
    before: Sequence[Atom]
    after: Sequence[Atom]

    def made(self, kind: str, value: object) -> Atom:
        """Return an atom that stands for everything matched."""
        words = " ".join(atom.words for atom in self.atoms if atom.words)
        return Atom(kind=kind, value=value, words=words, at=self.atoms[0].at)


Action = Callable[[Match], "Atom | list[Atom] | None"]


@dataclass(frozen=True)
class Rule:
    """A named pattern and what it makes; the action returns None to decline."""

    name: str
    pattern: re.Pattern[str]
    action: Action


@dataclass
class RuleBook:
    """The rules of one stage, in order of precedence."""

    rules: list[Rule] = field(default_factory=list)

    def rule(self, pattern: str) -> Callable[[Action], Action]:
        """Register the decorated function as a rule of this name."""

        def register(action: Action) -> Action:
            name = getattr(action, "__name__", "rule").strip("_")
            self.rules.append(Rule(name=name, pattern=compile_pattern(pattern), action=action))
            return action

        return register

    def apply(self, atoms: list[Atom], *, used: list[str]) -> list[Atom]:
        """Return the atoms after every rule was tried from left to right, each until it no longer changes anything."""
        for rule in self.rules:
            atoms = _apply(rule, atoms, used=used)
        return atoms


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return the regular expression over encoded kinds for a pattern over kind names."""
    whole = _REPEATED.sub(r"((?:\1)\2)", pattern)
    return re.compile(_WORD.sub(lambda word: "" if word.group().isspace() else re.escape(code(word.group())), whole))


def code(kind: str) -> str:
    """Return the character that stands for a kind."""
    return CODES.setdefault(kind, chr(0x4E00 + len(CODES)))


def encode(atoms: Iterable[Atom]) -> str:
    """Return the encoded sequence of kinds."""
    return "".join(code(atom.kind) for atom in atoms)


def _apply(rule: Rule, atoms: list[Atom], *, used: list[str]) -> list[Atom]:
    position = 0
    text = encode(atoms)
    while found := rule.pattern.search(text, position):
        start, end = found.span()
        if start == end:
            position = end + 1
            continue
        groups = tuple(
            atoms[found.start(index) : found.end(index)] if found.start(index) >= 0 else []
            for index in range(1, (rule.pattern.groups or 0) + 1)
        )
        made = rule.action(Match(atoms[start:end], groups, atoms[:start], atoms[end:]))
        if made is None:
            position = start + 1
            continue
        new = made if isinstance(made, list) else [made]
        used.append(rule.name)
        atoms = [*atoms[:start], *new, *atoms[end:]]
        text = encode(atoms)
        position = start + (len(new) if len(new) >= end - start else 0)
    return atoms
