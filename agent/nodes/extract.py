"""Finding the SQL in what a model wrote."""

import json
import re

_FENCE = re.compile(r"```[ \t]*(\w*)[ \t]*\n?(.*?)```", re.DOTALL)
_OPEN_FENCE = re.compile(r"```[ \t]*(?:\w*)[ \t]*\n?(.*)\Z", re.DOTALL)
_QUERY_START = re.compile(r"^\s*(?:\(\s*)*(?:select|with)\b", re.IGNORECASE)
_STATEMENT_START = re.compile(
    r"^\s*(?:\(\s*)*(?:select|with|values|table|explain|insert|update|delete|merge|drop|alter|create|truncate|grant|revoke"
    r"|copy|call|do|set|begin|commit|rollback|vacuum|analyze|show)\b",
    re.IGNORECASE,
)
_CTE_START = re.compile(
    r"\s*(?:\(\s*)*with\s+(?:recursive\s+)?(?:\"[^\"]+\"|\w+)\s*(?:\([^)]*\)\s*)?as\s*(?:(?:not\s+)?materialized\s*)?\(",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^\s*(?:\*\*)?(?:sql ?query|sql|query|answer|final answer)(?:\*\*)?\s*:(?:\*\*)?\s*", re.IGNORECASE
)


def extract_sql(text: str, *, was_cut: bool = False) -> str | None:
    """Return the SQL of a reply as it was written, or None.

    Looks at fenced blocks first (the last one that begins a query), then at a JSON object with the key `sql`, then at
    the text from the first line that begins a query. What is no query is returned too when the whole reply is it: the
    guard, not this function, says what may run.

    Args:
        text: the reply without its thinking.
        was_cut: the reply ended at the token limit; SQL that reaches the cut is incomplete, and None is returned.
    """
    fenced = [body.strip() for language, body in _FENCE.findall(text) if _may_be_sql(language, body)]
    if fenced:
        queries = [body for body in fenced if _QUERY_START.match(_without_comments(body))]
        return (queries or fenced)[-1] or None
    if was_cut:
        return _statement_before_cut(text)
    opened = _OPEN_FENCE.search(text)
    found = _from_json(text) or _from_lines(opened.group(1) if opened else text)
    return found or None


def _may_be_sql(language: str, body: str) -> bool:
    if language.lower() in ("sql", "postgresql", "postgres", "pgsql", "psql"):
        return bool(body.strip())
    return language.lower() in ("", "text", "plaintext") and bool(_STATEMENT_START.match(_without_comments(body)))


def _statement_before_cut(text: str) -> str | None:
    """A statement that ended with a semicolon before the cut is whole."""
    lines = _from_lines(text)
    if lines is None or not lines.rstrip().endswith(";"):
        return None
    return None if text.rstrip().endswith(lines.rstrip()) and not text.rstrip().endswith(";") else lines


def _from_json(text: str) -> str | None:
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        found = json.loads(text[start : end + 1])
    except json.JSONDecodeError:
        return None
    sql = found.get("sql") if isinstance(found, dict) else None
    return sql.strip() if isinstance(sql, str) else None


def _from_lines(text: str) -> str | None:
    lines = text.strip().splitlines()
    for start, line in enumerate(lines):
        first = _LABEL.sub("", line)
        pattern = _STATEMENT_START if start == 0 else _QUERY_START
        if pattern.match(first) and _reads_as_sql(first, lines[start + 1 :]):
            return _until_prose([first, *lines[start + 1 :]])
    return None


def _reads_as_sql(first: str, following: list[str]) -> bool:
    """`With this query we ...` and `Select the rows that ...` begin prose, not SQL."""
    text = "\n".join([first, *following])
    if re.match(r"\s*(?:\(\s*)*with\b", first, re.IGNORECASE):
        return _CTE_START.match(text) is not None
    if re.match(r"\s*(?:\(\s*)*select\b", first, re.IGNORECASE):
        return not re.match(r"\s*select\s+(?:the|a|an|all|those|your)\s+\w+\s+\w+\s+\w+", first, re.IGNORECASE)
    return True


def _until_prose(lines: list[str]) -> str:
    """Cut after a line that ends the statement, or at a blank line followed by something that is no SQL."""
    kept: list[str] = []
    for number, line in enumerate(lines):
        if line.strip().startswith("```"):
            break
        if not line.strip() and number + 1 < len(lines) and _is_prose(lines[number + 1]):
            break
        kept.append(line)
        if line.rstrip().endswith(";"):
            following = next((text for text in lines[number + 1 :] if text.strip()), "")
            if not _STATEMENT_START.match(following):
                break
    return "\n".join(kept).strip()


def _is_prose(line: str) -> bool:
    return (
        re.match(r"\s*(?:[A-Z*#>-][\w*']*[ ,:]+)?(?:this|the|it|note|here|explanation|we|i)\b", line, re.IGNORECASE)
        is not None
    )


def _without_comments(sql: str) -> str:
    return re.sub(r"\A(?:\s*--[^\n]*\n|\s*/\*.*?\*/)+", "", sql, flags=re.DOTALL)
