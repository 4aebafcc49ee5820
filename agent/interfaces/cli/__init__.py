"""The command line `crime`."""

from agent.interfaces.cli.app import app, main

__all__ = ["app", "main"]
