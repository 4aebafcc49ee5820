"""Measurements on this machine: `make bench`. Nothing here is a test, and no figure is a limit."""
