"""The local stack: embedded server, simulator and Airflow as processes of this machine, and the demo on them."""

from agent.interfaces.stack.airflow import AirflowStack
from agent.interfaces.stack.demo import run_demo
from agent.interfaces.stack.stack import StackInfo, run_down, run_up, run_warehouse_bootstrap
from agent.interfaces.stack.summary import DemoSummary

__all__ = ["AirflowStack", "DemoSummary", "StackInfo", "run_demo", "run_down", "run_up", "run_warehouse_bootstrap"]
