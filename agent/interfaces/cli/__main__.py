"""`python -m agent.interfaces.cli`."""

from agent.interfaces.cli.app import main

main()
