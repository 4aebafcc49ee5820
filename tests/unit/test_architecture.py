"""The house rules that a reader could not see being broken: direction of imports, swallowed faults, machine paths."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from include.settings import PROJECT_ROOT

PRODUCT = ("include", "agent", "dags", "plugins", "bench")
FORBIDDEN = {
    "include": ("agent", "airflow", "dags", "crime_dags", "plugins", "tests"),
    "agent": ("airflow", "dags", "crime_dags", "plugins", "tests"),
    "dags": ("tests", "bench"),
    "plugins": ("tests", "bench"),
    "bench": ("tests", "airflow", "crime_dags"),
}
AGENT_SIDE = ("include.settings", "include.errors", "include.dataset", "include.warehouse")
AGENT_MORE = {
    "agent.interfaces": ("include",),
    "agent.reports": ("include.notify", "include.quality"),
    "agent.benchmark": ("include.ingest",),
    "agent.strategies": (),
}


def modules(root: str) -> list[Path]:
    return sorted(path for path in (PROJECT_ROOT / root).rglob("*.py") if "__pycache__" not in path.parts)


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(PROJECT_ROOT).with_suffix("").parts)


def imports(path: Path) -> Iterator[str]:
    """Every module a file imports from, whole dotted names; a package's submodule counts as such."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            for alias in node.names:
                inner = PROJECT_ROOT / Path(*node.module.split(".")) / alias.name
                is_module = inner.with_suffix(".py").exists() or (inner / "__init__.py").exists()
                yield f"{node.module}.{alias.name}" if is_module else node.module


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


@pytest.mark.parametrize("root", PRODUCT)
def test_imports_keep_their_direction(root: str) -> None:
    wrong = [
        f"{dotted(path)} imports {name}"
        for path in modules(root)
        for name in imports(path)
        if any(within(name, package) for package in FORBIDDEN[root])
    ]
    assert not wrong


def test_the_agent_imports_of_the_library_only_what_it_may() -> None:
    wrong = []
    for path in modules("agent"):
        allowed = AGENT_SIDE + tuple(
            name for part, names in AGENT_MORE.items() if within(dotted(path), part) for name in names
        )
        for name in imports(path):
            if within(name, "include") and not any(within(name, package) for package in allowed):
                wrong.append(f"{dotted(path)} imports {name}")
    assert not wrong


def test_other_packages_are_used_only_through_what_they_export() -> None:
    """A package is a folder right below `include` or `agent`; the simulator and the stack export for themselves."""
    own_front = ("include.source.simulator", "agent.interfaces.stack", "agent.interfaces.web")
    wrong = []
    for root in PRODUCT:
        for path in modules(root):
            here = dotted(path)
            for name in imports(path):
                parts = name.split(".")
                if parts[0] not in ("include", "agent") or len(parts) < 3 or name in own_front:
                    continue
                if not within(here, f"{parts[0]}.{parts[1]}"):
                    wrong.append(f"{here} imports {name}")
    assert not wrong


def test_nothing_swallows_every_exception() -> None:
    """A handler of everything must pass the exception on: raise, return it as its own, or end the process."""
    swallowing = []
    for root in PRODUCT:
        for path in modules(root):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.ExceptHandler):
                    continue
                caught = "everything" if node.type is None else ast.unparse(node.type)
                broad = caught in ("everything", "Exception", "BaseException")
                raises = any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
                if broad and not raises:
                    swallowing.append(f"{dotted(path)}:{node.lineno} catches {caught} and carries on")
    assert not swallowing


def test_no_machine_path_no_unfinished_mark() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT_ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode:
        pytest.skip("no git checkout here: the product's files cannot be told from others")
    marks = re.compile(r"(?<![\w.])/(work|root|home/\w+|Users)/|\b(TODO|FIXME|XXX)\b")
    found = []
    for name in listed.stdout.split("\n"):
        path = PROJECT_ROOT / name
        if path.suffix not in (".py", ".sql", ".md", ".yaml", ".toml", ".html", ".in", "") or not path.is_file():
            continue
        if name in ("LICENSE", "tests/unit/test_architecture.py"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if marks.search(line):
                found.append(f"{name}:{number}: {line.strip()[:100]}")
    assert not found


def test_dag_files_only_declare() -> None:
    long = {path.name: len(path.read_text().splitlines()) for path in (PROJECT_ROOT / "dags").glob("*.py")}
    assert long
    assert max(long.values()) < 60
