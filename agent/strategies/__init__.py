"""The strategies by name."""

from agent.strategies.agent_1 import AGENT_1
from agent.strategies.agent_2 import AGENT_2
from agent.strategies.semantic import SEMANTIC
from agent.strategies.strategy import Strategy

STRATEGIES: dict[str, Strategy] = {strategy.name: strategy for strategy in (AGENT_1, AGENT_2, SEMANTIC)}

__all__ = ["STRATEGIES", "Strategy"]
