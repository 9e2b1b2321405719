"""What the tests of `assay dap` share: kernels, and a client for each test."""

import os
import unittest
from pathlib import Path

from client import Client, Refused

HERE = Path(__file__).resolve().parent
DEBUG = HERE.parent / "debug"
ASSAY = os.environ.get("ASSAY_PROGRAM", "")  # set by dap_test.py

REDUCE = {
    "module": str(DEBUG / "reduce.cl"),
    "global": 4,
    "local": 2,
    "args": ["float[2]=0", "float[4]=range(1,1)", "local(8)", "float=0.5"],
}
ONE = {**REDUCE, "global": 1, "local": 1}
REDUCE_SOURCE = {"path": str(DEBUG / "reduce.cl")}
PRINT = {"module": str(DEBUG / "print.cl"), "global": 2, "args": ["int[2]=0", "int=3"]}
WRONG = {"module": str(DEBUG / "wrong.cl"), "global": 4, "args": ["int[4]=0", "int=1"]}
RACE = {"module": str(HERE / "race.cl"), "global": 4, "local": 4, "args": ["int[4]=0"]}
LONG = {"module": str(HERE / "long.cl"), "global": 1, "args": ["uint[1]=0", "uint=4000000000"]}


def line_of(path, text):
    """The number of the first line that has the text."""
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        if text in line:
            return number
    raise KeyError(text)


SQUARE = line_of(DEBUG / "reduce.cl", "float y = x * x")
TERM = line_of(DEBUG / "reduce.cl", "float term = square")
SUM = line_of(DEBUG / "reduce.cl", "sum += term")
BARRIER = line_of(DEBUG / "reduce.cl", "barrier(")
TOTAL = line_of(DEBUG / "reduce.cl", "float total")


def number(value):
    """What a value begins with."""
    return float(value.split()[0])


class Case(unittest.TestCase):
    def setUp(self):
        self.client = Client(ASSAY)
        self.addCleanup(self.client.close)

    def another(self):
        """A client beside the first one."""
        client = Client(ASSAY)
        self.addCleanup(client.close)
        return client

    def start(self, launch, lines=(), findings=False, **initialize):
        """Launches with breakpoints at lines of the module; returns the client and their answers."""
        client = self.client
        client.initialize(**initialize)
        client.launch(**launch)
        answers = []
        if lines:
            answers = client.request(
                "setBreakpoints",
                {
                    "source": {"path": launch["module"]},
                    "breakpoints": [one if isinstance(one, dict) else {"line": one} for one in lines],
                },
            )["breakpoints"]
        client.request("setExceptionBreakpoints", {"filters": ["findings"] if findings else []})
        client.configured()
        return client, answers

    def refuses(self, part, command, arguments=None):
        with self.assertRaises(Refused) as refused:
            self.client.request(command, arguments)
        self.assertIn(part, str(refused.exception))
