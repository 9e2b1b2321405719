"""A plugin of pytest that keeps each EVERY-th test by the order of names, from the EVERY_FIRST-th on (0: the first).

usage: EVERY=20 EVERY_FIRST=5 PYTHONPATH=testsuites/sycl python -m pytest -p every ...
"""

import os


def pytest_collection_modifyitems(config, items):
    step, first = int(os.environ.get("EVERY", "1")), int(os.environ.get("EVERY_FIRST", "0"))
    kept = set(sorted(item.nodeid for item in items)[first::step])
    left_out = [item for item in items if item.nodeid not in kept]
    items[:] = [item for item in items if item.nodeid in kept]
    config.hook.pytest_deselected(items=left_out)
