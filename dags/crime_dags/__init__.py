"""What the DAG files wire together: defaults, and the task bodies of each DAG."""
