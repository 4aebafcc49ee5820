import pytest

from agent.nodes.extract import extract_sql

WITH = "WITH a AS (\n  SELECT 1\n)\nSELECT * FROM a"


@pytest.mark.parametrize(
    ("reply", "sql"),
    [
        ("SELECT 1", "SELECT 1"),
        ("SELECT 1;", "SELECT 1;"),
        ("  select\n  count(*)\nfrom t  ", "select\n  count(*)\nfrom t"),
        ("```sql\nSELECT 1\n```", "SELECT 1"),
        ("```SQL\nSELECT 1;\n```", "SELECT 1;"),
        ("```postgresql\nSELECT 1\n```", "SELECT 1"),
        ("```\nSELECT 1\n```", "SELECT 1"),
        ("```sql SELECT 1```", "SELECT 1"),
        ("Here you are:\n\n```sql\nSELECT 1\n```\nThis counts.", "SELECT 1"),
        (f"```sql\n{WITH}\n```", WITH),
        ("First try:\n```sql\nSELECT 1\n```\nBetter:\n```sql\nSELECT 2\n```", "SELECT 2"),
        ("```sql\nSELECT 1\n```\nRun it with:\n```bash\npsql -f q.sql\n```", "SELECT 1"),
        ("```python\nprint(1)\n```\n```sql\nSELECT 1\n```", "SELECT 1"),
        ("```sql\n-- counts\nSELECT 1\n```", "-- counts\nSELECT 1"),
        ("```sql\n(SELECT 1) UNION (SELECT 2)\n```", "(SELECT 1) UNION (SELECT 2)"),
        ("The query is:\n\nSELECT 1\nFROM t;\n\nIt counts.", "SELECT 1\nFROM t;"),
        ("SELECT 1\nFROM t\n\nThis query counts rows.", "SELECT 1\nFROM t"),
        ("SELECT 1\nFROM t\n\nWHERE a = 1", "SELECT 1\nFROM t\n\nWHERE a = 1"),
        ("SQL: SELECT 1", "SELECT 1"),
        ("**SQL Query:**\nSELECT 1", "SELECT 1"),
        ('{"sql": "SELECT 1", "why": "x"}', "SELECT 1"),
        ('```json\n{"sql": "SELECT 1"}\n```', "SELECT 1"),
        ("With this query we count:\n\n" + WITH, WITH),
        ("```sql\nSELECT 1", "SELECT 1"),
        # What is no query goes to the guard as it is, to be refused there.
        ("```sql\nDROP TABLE crime_incidents\n```", "DROP TABLE crime_incidents"),
        ("DELETE FROM crime_incidents", "DELETE FROM crime_incidents"),
        ("SELECT 1; DROP TABLE x", "SELECT 1; DROP TABLE x"),
        ("SELECT 1;\nDROP TABLE x;", "SELECT 1;\nDROP TABLE x;"),
        # No SQL at all.
        ("", None),
        ("I cannot answer this question.", None),
        ("With this data I cannot answer.", None),
        ("Select the rows that match the year and count them.", None),
        ("```\nno query here\n```", None),
        ('{"answer": 5}', None),
    ],
)
def test_extract(reply, sql):
    assert extract_sql(reply) == sql


@pytest.mark.parametrize(
    ("reply", "sql"),
    [
        ("```sql\nSELECT 1\n```\nThis query cou", "SELECT 1"),
        ("```sql\nSELECT a FROM t WHERE b = 1", None),
        ("SELECT a FROM t WHERE b = 1", None),
        ("SELECT 1;\n\nThis query cou", "SELECT 1;"),
        ("To answer this we first need to", None),
    ],
)
def test_extract_from_a_cut_reply(reply, sql):
    assert extract_sql(reply, was_cut=True) == sql
