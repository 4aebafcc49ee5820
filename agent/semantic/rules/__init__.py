"""The composition rules, stage by stage: each stage sees what the one before it made."""

from agent.semantic.grammar import RuleBook
from agent.semantic.rules.averages import COUNTS
from agent.semantic.rules.brackets import BRACKETS, NAMED
from agent.semantic.rules.changes import CHANGES
from agent.semantic.rules.comparisons import COMPARISONS
from agent.semantic.rules.conditions import FILTERS
from agent.semantic.rules.contrasts import CONTRASTS
from agent.semantic.rules.dates import DATES
from agent.semantic.rules.groups import GROUPS
from agent.semantic.rules.hours import HOURS
from agent.semantic.rules.limits import LIMITS
from agent.semantic.rules.listings import LISTINGS
from agent.semantic.rules.numbers import NUMBERS
from agent.semantic.rules.rankings import RANKINGS
from agent.semantic.rules.shares import SHARES
from agent.semantic.rules.spans import SPANS
from agent.semantic.rules.statistics import STATISTICS
from agent.semantic.rules.wishes import Change, Contrast, Recent

CALENDAR_STAGES: tuple[RuleBook, ...] = (DATES, SPANS, HOURS)
STAGES: tuple[RuleBook, ...] = (
    NUMBERS, NAMED, CONTRASTS, FILTERS, GROUPS, STATISTICS, SHARES, COUNTS,
    COMPARISONS, LIMITS, CHANGES, RANKINGS, LISTINGS,
)  # fmt: skip

__all__ = ["BRACKETS", "CALENDAR_STAGES", "STAGES", "Change", "Contrast", "Recent"]
