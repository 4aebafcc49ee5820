"""Parse a DAG folder with the network and every database out of reach, and print what came of it as JSON."""

import json
import socket
import sys
import time


def main(folder: str) -> None:
    from airflow.dag_processing.dagbag import DagBag

    known = set(sys.modules)
    connections: list[str] = []

    def refuse(_socket: socket.socket, address: object) -> None:
        connections.append(str(address))
        raise OSError("no connection is allowed while DAGs are parsed")

    socket.socket.connect = refuse  # type: ignore[method-assign, assignment]  # the point of this script
    started = time.monotonic()
    bag = DagBag(dag_folder=folder)
    seconds = time.monotonic() - started
    facts = {
        "seconds": seconds,
        "errors": {str(path): str(error) for path, error in bag.import_errors.items()},
        "imported": sorted(set(sys.modules) - known),
        "connections": connections,
        "schedules": {dag_id: _schedule(dag) for dag_id, dag in bag.dags.items()},
    }
    sys.stdout.write("\n" + json.dumps(facts) + "\n")


def _schedule(dag: object) -> dict[str, object]:
    timetable = dag.timetable  # type: ignore[attr-defined]  # airflow is not imported at the top
    clock = getattr(timetable, "timetable", timetable)
    condition = getattr(timetable, "asset_condition", None)
    return {
        "kind": type(timetable).__name__,
        "cron": getattr(clock, "expression", None),
        "timezone": str(getattr(clock, "timezone", "")),
        "assets": sorted(asset.name for asset in condition.objects) if condition else [],
    }


if __name__ == "__main__":
    main(sys.argv[1])
