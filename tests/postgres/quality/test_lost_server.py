"""A server that goes away during the suite is told as that, not as a fault of the library."""

import pytest

from include.quality import run_suite
from include.warehouse import WarehouseDownError


def test_a_dead_server_is_one_clear_error():
    with pytest.raises(WarehouseDownError, match=r"127\.0\.0\.1:1/gone was lost during the quality suite"):
        run_suite("postgresql://crime_owner:x@127.0.0.1:1/gone", "snap_20200101t000000")
