"""Named sets of arms, read from `arms.yaml`."""

from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import ConfigDict, TypeAdapter, ValidationError

from agent.arms import Arm, resolve_arm
from include.errors import UsageError

ARMS_FILE = Path(__file__).with_name("arms.yaml")


@dataclass(frozen=True)
class ArmSet:
    """Arms to compare, and how often each runs."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    description: str
    repeats: int
    arms: tuple[Arm, ...]


def load_arms(name: str, *, path: Path | None = None) -> ArmSet:
    """Return the set of a name, every arm checked and its stage filled in.

    Raises:
        UsageError: no such set, a broken file, or an arm with a field that does not exist.
    """
    path = path or ARMS_FILE
    sets = _read(path)
    if name not in sets:
        raise UsageError(f"unknown arm set {name!r}", expected="one of " + ", ".join(sets), action="choose one")
    chosen = sets[name]
    if not chosen.arms or chosen.repeats < 1:
        raise UsageError(f"{path.name}: the set {name!r} has no arm or no repeat", expected="at least one of each")
    try:
        arms = tuple(resolve_arm(arm)[0] for arm in chosen.arms)
    except UsageError as error:
        raise UsageError(f"{path.name}: {name}: {error.seen}", expected=error.expected, action=error.action) from error
    if len(set(arms)) < len(arms):
        raise UsageError(f"{path.name}: the set {name!r} names an arm twice", action="use repeats to run arms again")
    return ArmSet(description=chosen.description, repeats=chosen.repeats, arms=arms)


def arm_set_names(*, path: Path | None = None) -> tuple[str, ...]:
    """Return the names of all sets, as the file orders them."""
    return tuple(_read(path or ARMS_FILE))


def _read(path: Path) -> dict[str, ArmSet]:
    try:
        return TypeAdapter(dict[str, ArmSet]).validate_python(yaml.safe_load(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error}", expected="a YAML file of arm sets") from error
    except (yaml.YAMLError, ValidationError) as error:
        raise UsageError(f"{path.name} is broken: {error}", action="mend the place named") from error
