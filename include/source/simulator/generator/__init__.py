"""Rows made from the statistics of the real ones, a pure function of seed, size, first year and day."""

from include.source.simulator.generator.store import GeneratedStore, generate_store
from include.source.simulator.generator.write import write_generated

__all__ = ["GeneratedStore", "generate_store", "write_generated"]
