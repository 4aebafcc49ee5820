"""`crime simulate` in the foreground: says where it serves, serves, and ends in order."""

import json
import signal
import subprocess
import sys

import requests

from include.settings import PROJECT_ROOT


def test_it_serves_until_it_is_told_to_end():
    process = subprocess.Popen(
        [sys.executable, "-m", "agent.interfaces.cli", "simulate", "--rows", "1000", "--json"],
        cwd=PROJECT_ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        while lines[-1].strip() != "}":
            lines.append(process.stdout.readline())
        served = json.loads("".join(lines))
        assert 900 < served["rows"] <= 1000
        answer = requests.get(f"{served['url']}/resource/ijzp-q8t2.json?$select=count(*)", timeout=30)
        assert answer.json() == [{"count": str(served["rows"])}]
    finally:
        process.send_signal(signal.SIGTERM)
        rest, _ = process.communicate(timeout=30)
    assert (process.returncode, rest) == (0, "")
