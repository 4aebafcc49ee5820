"""Where people meet the platform: the command line and the local stack."""
