"""A local server that answers as the City's SODA 2.1 endpoint does, over a file of crimes or generated rows."""

from include.source.simulator.faults import FAULTS, Fault
from include.source.simulator.files import open_store
from include.source.simulator.generator import GeneratedStore, generate_store, write_generated
from include.source.simulator.process import SimulatorProcess, start_process
from include.source.simulator.serving import SimulatorHandle, serve
from include.source.simulator.store import RowStore

__all__ = [
    "FAULTS",
    "Fault",
    "GeneratedStore",
    "RowStore",
    "SimulatorHandle",
    "SimulatorProcess",
    "generate_store",
    "open_store",
    "serve",
    "start_process",
    "write_generated",
]
