#!/usr/bin/env python3
"""`assay dap` as an editor sees it: every request that it claims to know, and what is no request.

    dap_test.py --assay build/release/bin/assay [unittest's arguments]
"""

import argparse
import base64
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from client import Client, Refused

HERE = Path(__file__).resolve().parent
DEBUG = HERE.parent / "debug"
ASSAY = None

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


class Running(Case):
    def test_breaks_inspects_and_terminates(self):
        client, answers = self.start(ONE, [SUM])
        self.assertTrue(answers[0]["verified"])
        self.assertEqual(answers[0]["line"], SUM)
        self.assertEqual(answers[0]["source"]["path"], str(DEBUG / "reduce.cl"))
        stop = client.stopped("breakpoint")
        self.assertEqual(stop["hitBreakpointIds"], [answers[0]["id"]])
        self.assertTrue(stop["allThreadsStopped"])
        trace = client.request("stackTrace", {"threadId": stop["threadId"]})
        frame = trace["stackFrames"][0]
        self.assertEqual((frame["name"], frame["line"]), ("reduce", SUM))
        self.assertEqual(frame["source"]["path"], str(DEBUG / "reduce.cl"))
        scopes = {s["name"]: s for s in client.request("scopes", {"frameId": frame["id"]})["scopes"]}
        self.assertEqual(list(scopes), ["Arguments", "Locals", "Globals", "SPIR-V values", "Memory objects"])
        local = client.variables(scopes["Locals"]["variablesReference"])
        self.assertEqual(number(local["term"]["value"]), 1.0)
        self.assertEqual(local["term"]["type"], "float")
        self.assertEqual(number(local["sum"]["value"]), 0.0)
        summary = client.variables(local["summary"]["variablesReference"])
        self.assertEqual(summary["count"]["value"].split()[0], "1")
        tags = client.variables(summary["tag"]["variablesReference"])
        self.assertEqual([tags[f"[{i}]"]["value"].split()[0] for i in range(3)], ["1", "2", "3"])
        constants = client.variables(scopes["Globals"]["variablesReference"])
        self.assertIn("weights", constants)
        arguments = client.variables(scopes["Arguments"]["variablesReference"])
        self.assertEqual(arguments["in"]["indexedVariables"], 4)
        behind = client.variables(arguments["in"]["variablesReference"])
        self.assertEqual([number(v["value"]) for v in behind.values()], [1.0, 2.0, 3.0, 4.0])
        objects = client.variables(scopes["Memory objects"]["variablesReference"])
        self.assertTrue(any("16 bytes of global memory" in v["value"] for v in objects.values()), objects)
        client.request("setBreakpoints", {"source": REDUCE_SOURCE, "breakpoints": []})
        client.request("continue", {"threadId": stop["threadId"]})
        self.assertEqual(client.event("exited")["exitCode"], 0)
        client.event("terminated")
        self.assertIn("The run has ended: completed; 0 findings", client.output("console"))
        self.assertEqual(client.finish(), 0)

    def test_steps_forward_and_back(self):
        client, _ = self.start(REDUCE, [TERM])
        thread = client.stopped("breakpoint")["threadId"]
        client.request("setBreakpoints", {"source": REDUCE_SOURCE, "breakpoints": []})
        client.request("stepIn", {"threadId": thread})
        client.stopped("step")
        trace = client.request("stackTrace", {"threadId": thread})
        self.assertEqual([f["name"] for f in trace["stackFrames"]], ["square", "reduce"])
        self.assertEqual(trace["stackFrames"][0]["line"], SQUARE)
        outer = client.request("stackTrace", {"threadId": thread, "startFrame": 1, "levels": 1})
        self.assertEqual([f["name"] for f in outer["stackFrames"]], ["reduce"])
        self.assertEqual(outer["totalFrames"], 2)
        # A variable of the frame that called.
        self.assertEqual(client.evaluate("k", outer["stackFrames"][0]["id"]).split()[0], "0")
        client.request("stepOut", {"threadId": thread})
        client.stopped("step")
        self.assertEqual(client.top(thread)["name"], "reduce")
        client.request("next", {"threadId": thread})
        client.stopped("step")
        here = client.top(thread)["line"]
        client.request("next", {"threadId": thread})
        client.stopped("step")
        self.assertGreater(client.top(thread)["line"], here)
        client.request("stepBack", {"threadId": thread})
        client.stopped("step")
        self.assertEqual(client.top(thread)["line"], here)
        before = client.top(thread)["instructionPointerReference"]
        client.request("next", {"threadId": thread, "granularity": "instruction"})
        client.stopped("step")
        after = client.top(thread)["instructionPointerReference"]
        self.assertGreater(int(after, 16), int(before, 16))
        client.request("stepBack", {"threadId": thread, "granularity": "instruction"})
        client.stopped("step")
        self.assertEqual(client.top(thread)["instructionPointerReference"], before)
        client.request("stepIn", {"threadId": thread, "granularity": "line"})
        client.stopped("step")
        self.assertEqual(client.finish(), 0)

    def test_continues_back_to_a_breakpoint_and_to_the_beginning(self):
        client, answers = self.start(ONE, [SUM])
        thread = client.stopped("breakpoint")["threadId"]
        client.request("continue", {"threadId": thread})
        client.stopped("breakpoint")
        self.assertEqual(client.evaluate("k").split()[0], "1")
        client.request("reverseContinue", {"threadId": thread})
        stop = client.stopped("breakpoint")
        self.assertEqual(stop["hitBreakpointIds"], [answers[0]["id"]])
        self.assertEqual(client.evaluate("k").split()[0], "0")
        client.request("reverseContinue", {"threadId": thread})
        self.assertEqual(client.stopped("entry")["description"], "The beginning of the run")
        client.request("continue", {"threadId": thread})
        client.stopped("breakpoint")

    def test_stops_on_entry_and_at_the_end(self):
        client, _ = self.start({**REDUCE, "stopOnEntry": True, "stopAtEnd": True})
        thread = client.stopped("entry")["threadId"]
        self.assertEqual(client.top(thread)["name"], "reduce")
        client.request("continue", {"threadId": thread})
        stop = client.stopped("end")
        # From there the way leads back.
        client.request("stepBack", {"threadId": stop["threadId"]})
        client.stopped("step")
        client.request("continue", {"threadId": stop["threadId"]})
        stop = client.stopped("end")
        client.request("continue", {"threadId": stop["threadId"]})
        self.assertEqual(client.event("exited")["exitCode"], 0)

    def test_runs_without_debugging(self):
        client, answers = self.start({**WRONG, "noDebug": True}, [5])
        self.assertFalse(answers[0]["verified"])
        self.assertEqual(client.event("exited")["exitCode"], 1)
        client.event("terminated")
        self.assertIn("memory-out-of-bounds", client.output("console"))
        self.refuses("the run has ended", "continue", {"threadId": 1})

    def test_takes_a_job_file_relative_to_cwd(self):
        job = {
            "module": "wrong.cl",
            "global": [4],
            "args": [
                {"buffer": {"type": "int", "count": 4, "init": {"fill": 0}}},
                {"scalar": {"type": "int", "value": 1}},
            ],
        }
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "wrong.cl").write_text((DEBUG / "wrong.cl").read_text())
            (Path(folder) / "job.json").write_text(json.dumps(job))
            client, _ = self.start({"job": "job.json", "cwd": folder}, findings=True)
            client.stopped("exception")
            self.assertEqual(client.finish(), 0)

    def test_prints_once_however_often_its_time_is_passed(self):
        line = line_of(DEBUG / "print.cl", "printf")
        client, _ = self.start(PRINT, [{"line": line, "condition": "i == 1 && k == 2"}])
        thread = client.stopped("breakpoint")["threadId"]
        client.request("reverseContinue", {"threadId": thread})
        client.stopped("entry")
        client.request("continue", {"threadId": thread})
        client.stopped("breakpoint")
        client.request("continue", {"threadId": thread})
        client.event("terminated")
        printed = client.output("stdout")
        self.assertEqual(sorted(printed.splitlines()), [f"item {i} adds {k}" for i in range(2) for k in range(3)])
        words = [PRINT["module"], "-g", "2"] + [w for a in PRINT["args"] for w in ("-a", a)]
        run = subprocess.run([ASSAY, "run"] + words, capture_output=True, text=True)
        self.assertIn(printed, run.stdout)

    def test_pauses_and_goes_on(self):
        line = line_of(HERE / "long.cl", "x * 1664525u")
        client, _ = self.start(LONG, [line])
        thread = client.stopped("breakpoint")["threadId"]
        client.request("setBreakpoints", {"source": {"path": LONG["module"]}, "breakpoints": []})
        client.request("continue", {"threadId": thread})
        threads = client.request("threads")  # answered while it runs
        self.assertIn("threads", threads)
        self.refuses("notStopped", "stackTrace", {"threadId": thread})
        self.refuses("notStopped", "next", {"threadId": thread})
        client.request("pause", {"threadId": 0})
        thread = client.stopped("pause")["threadId"]
        first = int(client.evaluate("i").split()[0])
        # A breakpoint is set while it runs, and is met.
        client.request("continue", {"threadId": thread})
        answer = client.request(
            "setBreakpoints",
            {"source": {"path": LONG["module"]}, "breakpoints": [{"line": line, "condition": f"i == {first + 400000}"}]},
        )
        self.assertTrue(answer["breakpoints"][0]["verified"])
        client.stopped("breakpoint")
        self.assertEqual(int(client.evaluate("i").split()[0]), first + 400000)
        client.request("setBreakpoints", {"source": {"path": LONG["module"]}, "breakpoints": []})
        # Going back can be paused too: it stays where it was.
        client.request("reverseContinue", {"threadId": thread})
        client.request("pause", {"threadId": thread})
        stop = client.stopped()
        self.assertIn(stop["reason"], ("pause", "entry"))
        if stop["reason"] == "pause":
            self.assertEqual(int(client.evaluate("i").split()[0]), first + 400000)
        client.request("continue", {"threadId": thread})
        client.request("terminate")
        client.event("terminated")
        self.assertEqual(client.finish(), 0)

    def test_cancels_what_waits_and_what_moves(self):
        client, _ = self.start(LONG)
        client.request("pause", {"threadId": 0})
        client.stopped("pause")
        moving = client.send("evaluate", {"expression": "-exec continue", "context": "repl"})
        client.request("threads")  # is answered while that runs
        client.request("cancel", {"requestId": moving})
        self.assertIn("Interrupted", client.response(moving)["body"]["result"])
        client.stopped("pause")
        client.request("cancel", {"requestId": 999999})  # nothing to cancel is no error

    def test_restarts(self):
        client, answers = self.start(ONE, [SUM])
        thread = client.stopped("breakpoint")["threadId"]
        client.request("continue", {"threadId": thread})
        client.stopped("breakpoint")
        client.request("restart", {})
        stop = client.stopped("breakpoint")
        self.assertEqual(client.evaluate("k").split()[0], "0")
        self.assertEqual(stop["hitBreakpointIds"], [answers[0]["id"]])
        # Another configuration, and while it runs.
        client.request("setBreakpoints", {"source": REDUCE_SOURCE, "breakpoints": []})
        client.request("restart", {"arguments": LONG})
        client.request("restart", {"arguments": {**PRINT, "stopOnEntry": True}})
        thread = client.stopped("entry")["threadId"]
        self.assertEqual(client.top(thread)["name"], "count")
        client.request("continue", {"threadId": thread})
        client.event("terminated")
        client.request("restart", {})
        client.stopped("entry")
        client.request("restart", {"arguments": {"module": "/nonexistent.cl", "global": 1}})
        client.event("terminated")
        self.assertIn("nonexistent.cl", client.output("stderr"))
        self.assertEqual(client.finish(), 0)


class Stopping(Case):
    def test_conditions_hits_and_logs(self):
        client, answers = self.start(
            ONE,
            [
                {"line": SUM, "condition": "k == 2"},
                {"line": TERM, "hitCondition": "%2"},
                {"line": TERM, "logMessage": "sum before {k} is {sum}, {nothing}"},
                {"line": 100000},
                {"line": SUM, "condition": "k =="},
                {"line": SUM, "hitCondition": "often"},
            ],
        )
        self.assertEqual([a["verified"] for a in answers], [True, True, True, False, False, False])
        self.assertIn("hit condition", answers[5]["message"])
        self.assertIn("condition", answers[4]["message"])
        stop = client.stopped("breakpoint")
        self.assertIn(answers[1]["id"], stop["hitBreakpointIds"])
        self.assertEqual(client.evaluate("k").split()[0], "1")  # the second time
        client.request("continue", {"threadId": stop["threadId"]})
        stop = client.stopped("breakpoint")
        self.assertEqual(stop["hitBreakpointIds"], [answers[0]["id"]])
        self.assertEqual(client.evaluate("k").split()[0], "2")
        client.request("continue", {"threadId": stop["threadId"]})
        client.event("terminated")
        logged = [line.split() for line in client.output("console").splitlines() if line.startswith("sum before")]
        self.assertEqual([line[2] for line in logged], ["0", "1", "2"])
        self.assertEqual([line[5] for line in logged], ["0", "1", "3"])
        self.assertTrue(all("nothing" in " ".join(line) for line in logged))

    def test_keeps_what_stays_and_drops_what_is_not_named(self):
        client, answers = self.start(REDUCE, [TERM, SUM])
        thread = client.stopped("breakpoint")["threadId"]
        again = client.request("setBreakpoints", {"source": REDUCE_SOURCE, "breakpoints": [{"line": SUM}]})["breakpoints"]
        self.assertEqual(again[0]["id"], answers[1]["id"])
        client.request("continue", {"threadId": thread})
        self.assertEqual(client.stopped("breakpoint")["hitBreakpointIds"], [answers[1]["id"]])

    def test_functions_and_instructions(self):
        client = self.client
        client.initialize()
        client.launch(**REDUCE)
        answers = client.request(
            "setFunctionBreakpoints",
            {"breakpoints": [{"name": "square", "condition": "x == 2"}, {"name": "nothing"}]},
        )["breakpoints"]
        self.assertEqual([a["verified"] for a in answers], [True, False])
        client.configured()
        stop = client.stopped("function breakpoint")
        frame = client.top(stop["threadId"])
        self.assertEqual(client.evaluate("x", frame["id"]).split()[0], "2")
        listing = client.request(
            "disassemble",
            {"memoryReference": frame["instructionPointerReference"], "instructionOffset": -3, "instructionCount": 10},
        )["instructions"]
        self.assertEqual(len(listing), 10)
        self.assertEqual(listing[3]["address"], frame["instructionPointerReference"])
        self.assertIn("Op", listing[3]["instruction"])
        ret = next(i for i in listing if "OpReturnValue" in i["instruction"])
        self.assertEqual(ret["location"]["path"], str(DEBUG / "reduce.cl"))
        answers = client.request(
            "setInstructionBreakpoints",
            {"breakpoints": [{"instructionReference": ret["address"]}, {"instructionReference": "0x7"}]},
        )["breakpoints"]
        self.assertEqual([a["verified"] for a in answers], [True, False])
        client.request("continue", {"threadId": stop["threadId"]})
        stop = client.stopped("instruction breakpoint")
        self.assertEqual(client.top(stop["threadId"])["instructionPointerReference"], ret["address"])
        # What is beyond the code is as long as was asked for, and marked.
        far = client.request(
            "disassemble",
            {"memoryReference": ret["address"], "instructionOffset": -1000, "instructionCount": 2000},
        )["instructions"]
        self.assertEqual(len(far), 2000)
        self.assertEqual(len({i["address"] for i in far}), 2000)
        self.assertEqual((far[0]["presentationHint"], far[-1]["presentationHint"]), ("invalid", "invalid"))

    def test_findings_are_exceptions(self):
        client, _ = self.start(WRONG, findings=True)
        stop = client.stopped("exception")
        info = client.request("exceptionInfo", {"threadId": stop["threadId"]})
        self.assertEqual(info["exceptionId"], stop["description"])
        self.assertEqual(info["description"], stop["text"])
        self.assertEqual(info["breakMode"], "always")
        rules = [info["exceptionId"]]
        while True:
            client.request("continue", {"threadId": stop["threadId"]})
            while not any(e["event"] in ("stopped", "terminated") for e in client.events):
                client.pump()
            if any(e["event"] == "terminated" for e in client.events):
                break
            stop = client.stopped("exception")
            rules.append(stop["description"])
        self.assertIn("memory-out-of-bounds", rules)
        self.assertGreater(len(set(rules)), 1)
        self.assertEqual(client.event("exited")["exitCode"], 1)

    def test_findings_of_some_rules(self):
        client = self.client
        filters = client.initialize()["exceptionBreakpointFilters"]
        self.assertIn("family:races", [f["filter"] for f in filters])
        self.assertEqual([f["filter"] for f in filters if f["default"]], ["findings"])
        client.launch(**WRONG)
        answers = client.request(
            "setExceptionBreakpoints",
            {"filters": ["family:races"], "filterOptions": [{"filterId": "rules", "condition": "memory-out-of-bounds"}]},
        )["breakpoints"]
        self.assertEqual([a["verified"] for a in answers], [True, True])
        answers = client.request(
            "setExceptionBreakpoints",
            {"filters": [], "filterOptions": [{"filterId": "rules", "condition": "memory-out-of-bunds"}]},
        )["breakpoints"]
        self.assertFalse(answers[0]["verified"])
        self.assertIn("memory-out-of-bounds", answers[0]["message"])
        self.refuses("no exception filter", "setExceptionBreakpoints", {"filters": ["x"]})
        client.request("setExceptionBreakpoints", {"filters": ["family:memory"]})
        client.configured()
        stop = client.stopped("exception")
        self.assertEqual(stop["description"], "memory-out-of-bounds")
        # Back over it, and forward to it again.
        client.request("reverseContinue", {"threadId": stop["threadId"]})
        client.stopped("entry")
        client.request("continue", {"threadId": stop["threadId"]})
        self.assertEqual(client.stopped("exception")["description"], "memory-out-of-bounds")

    def test_a_race_is_found_by_a_data_breakpoint(self):
        add = line_of(HERE / "race.cl", "counter += ")
        client, _ = self.start(RACE, [add], findings=True)
        stop = client.stopped("breakpoint")
        frame = client.top(stop["threadId"])
        client.request("setBreakpoints", {"source": {"path": RACE["module"]}, "breakpoints": []})
        local = client.scope(frame["id"], "Globals")
        info = None
        for reference in (local, client.scope(frame["id"], "Locals")):
            if "counter" in client.variables(reference):
                info = client.request("dataBreakpointInfo", {"variablesReference": reference, "name": "counter"})
        self.assertIsNotNone(info)
        self.assertEqual(info["accessTypes"], ["read", "write", "readWrite"])
        answers = client.request("setDataBreakpoints", {"breakpoints": [{"dataId": info["dataId"], "accessType": "write"}]})
        self.assertTrue(answers["breakpoints"][0]["verified"])
        values, threads, findings = [], set(), []
        for _ in range(20):
            client.request("continue", {"threadId": stop["threadId"]})
            while not any(e["event"] in ("stopped", "terminated") for e in client.events):
                client.pump()
            if any(e["event"] == "terminated" for e in client.events):
                break
            stop = client.stopped()
            if stop["reason"] == "exception":
                findings.append(stop)
                names = [t["name"] for t in client.request("threads")["threads"]]
                # Both work-items that took part are listed.
                involved = set(part for part in stop["text"].replace("work-item ", "item ").split("item ") if part.startswith("("))
                for one in involved:
                    self.assertTrue(any(n.startswith("item " + one.split(")")[0] + ")") for n in names), (one, names))
            else:
                self.assertEqual(stop["reason"], "data breakpoint")
                self.assertEqual(stop["hitBreakpointIds"], [answers["breakpoints"][0]["id"]])
                values.append(int(client.evaluate("counter").split()[0]))
                threads.add(stop["threadId"])
        # Each of four writes, in the order of the schedule.
        self.assertEqual((len(values), values[-1]), (4, 10))
        self.assertGreater(len(threads), 1)
        self.assertTrue(any("race" in f["description"] for f in findings), findings)

    def test_data_breakpoints_of_each_kind(self):
        client, _ = self.start(REDUCE, [TERM])
        thread = client.stopped("breakpoint")["threadId"]
        client.request("setBreakpoints", {"source": REDUCE_SOURCE, "breakpoints": []})
        frame = client.top(thread)["id"]
        info = client.request("dataBreakpointInfo", {"name": "sum", "frameId": frame})
        self.assertIn("sum", info["description"])
        self.assertIsNone(client.request("dataBreakpointInfo", {"name": "nothing", "frameId": frame})["dataId"])
        self.assertIsNone(client.request("dataBreakpointInfo", {"name": "sum + 1", "frameId": frame})["dataId"])
        for access, line in (("read", SUM), ("readWrite", SUM), ("write", SUM)):
            answer = client.request("setDataBreakpoints", {"breakpoints": [{"dataId": info["dataId"], "accessType": access}]})
            self.assertTrue(answer["breakpoints"][0]["verified"], answer)
            client.request("continue", {"threadId": thread})
            stop = client.stopped("data breakpoint")
            self.assertEqual(stop["text"], "sum")
            self.assertIn(client.top(stop["threadId"])["line"], (line, line + 1, line - 3, line - 4), access)
        for bad in ("x", "0x1/2/3", "0x1/4/0/0/int", "0x1/4/0/0/int/x"):
            answer = client.request("setDataBreakpoints", {"breakpoints": [{"dataId": bad}]})
            self.assertFalse(answer["breakpoints"][0]["verified"])
        answer = client.request("setDataBreakpoints", {"breakpoints": [{"dataId": info["dataId"], "accessType": "x"}]})
        self.assertFalse(answer["breakpoints"][0]["verified"])

    def test_says_where_breakpoints_can_stand(self):
        client, _ = self.start({**REDUCE, "stopOnEntry": True})
        client.stopped("entry")
        places = client.request("breakpointLocations", {"source": REDUCE_SOURCE, "line": SQUARE - 1, "endLine": SQUARE + 3})
        lines = [p["line"] for p in places["breakpoints"]]
        self.assertIn(SQUARE, lines)
        self.assertNotIn(SQUARE + 3, lines)
        other = client.request("breakpointLocations", {"source": {"path": "/other.cl"}, "line": 1})
        self.assertEqual(other["breakpoints"], [])


class Looking(Case):
    def test_pages_of_variables(self):
        launch = {"module": str(HERE / "arrays.cl"), "global": 1, "args": ["float[5000]=1", "int[1]=7"]}
        line = line_of(HERE / "arrays.cl", "table[in[0]]")
        client, _ = self.start(launch, [line])
        frame = client.top(client.stopped("breakpoint")["threadId"])["id"]
        local = client.variables(client.scope(frame, "Locals"))
        self.assertEqual(local["depth"]["value"].split()[0], "2")
        self.assertEqual(local["depth (outer)"]["value"].split()[0], "1")
        table = local["table"]
        self.assertEqual(table["indexedVariables"], 3000)
        page = client.variables(table["variablesReference"], start=2990, count=5, filter="indexed")
        self.assertEqual(list(page), [f"[{i}]" for i in range(2990, 2995)])
        self.assertEqual(page["[2992]"]["value"].split()[0], str(2992 * 2992))
        self.assertEqual(client.variables(table["variablesReference"], start=5000, count=5), {})
        self.assertEqual(client.variables(table["variablesReference"], filter="named"), {})
        # All at once they come as ranges.
        ranges = client.variables(table["variablesReference"])
        self.assertEqual(list(ranges), ["[0..999]", "[1000..1999]", "[2000..2999]"])
        last = client.variables(ranges["[2000..2999]"]["variablesReference"])
        self.assertEqual(last["[2999]"]["value"].split()[0], str(2999 * 2999))
        arguments = client.variables(client.scope(frame, "Arguments"))
        self.assertEqual(arguments["out"]["indexedVariables"], 5000)
        some = client.variables(client.scope(frame, "Locals"), start=1, count=1)
        self.assertEqual(len(some), 1)

    def test_sets_variables_and_undoes_them(self):
        client, _ = self.start(ONE, [SUM], supportsInvalidatedEvent=True)
        thread = client.stopped("breakpoint")["threadId"]
        frame = client.top(thread)["id"]
        local = client.scope(frame, "Locals")
        answer = client.request("setVariable", {"variablesReference": local, "name": "sum", "value": "2.5f"})
        self.assertEqual(answer["value"].split()[0], "2.5")
        client.event("invalidated")
        summary = client.variables(local)["summary"]["variablesReference"]
        client.request("setVariable", {"variablesReference": summary, "name": "count", "value": "7 * 6"})
        self.assertEqual(client.evaluate("summary.count", frame).split()[0], "42")
        answer = client.request("setExpression", {"expression": "in[0]", "value": "9", "frameId": frame})
        self.assertEqual(answer["value"].split()[0], "9")
        arguments = client.variables(client.scope(frame, "Arguments"))
        self.assertEqual(number(client.variables(arguments["in"]["variablesReference"])["[0]"]["value"]), 9.0)
        client.request("setVariable", {"variablesReference": arguments["in"]["variablesReference"], "name": "[3]", "value": "8"})
        self.assertEqual(number(client.evaluate("in[3]", frame)), 8.0)
        self.refuses("", "setVariable", {"variablesReference": local, "name": "nothing", "value": "1"})
        self.refuses("", "setVariable", {"variablesReference": local, "name": "sum", "value": "1 +"})
        self.refuses("no variable", "setVariable", {"variablesReference": arguments["in"]["variablesReference"], "name": "[4]", "value": "1"})
        self.refuses("no variable", "setVariable", {"variablesReference": local, "name": "sum = 3, k", "value": "1"})
        client.request("next", {"threadId": thread})
        client.stopped("step")
        self.assertEqual(number(client.evaluate("sum")), 3.5)
        # Back to the change, and beyond it.
        client.request("reverseContinue", {"threadId": thread})
        client.stopped("breakpoint")
        self.assertEqual(number(client.evaluate("sum")), 2.5)
        client.request("reverseContinue", {"threadId": thread})
        client.stopped("entry")
        self.assertIn("undone", client.output("console"))
        client.request("continue", {"threadId": thread})
        client.stopped("breakpoint")
        self.assertEqual(number(client.evaluate("sum")), 0.0)

    def test_values_of_ids(self):
        client, _ = self.start(REDUCE, [SUM])
        thread = client.stopped("breakpoint")["threadId"]
        frame = client.top(thread)["id"]
        values = client.variables(client.scope(frame, "SPIR-V values"))
        self.assertTrue(values)
        self.assertTrue(all(name.startswith("%") for name in values))

    def test_evaluates_in_each_context(self):
        client, _ = self.start(REDUCE, [{"line": SUM, "condition": "id == 0"}])
        stop = client.stopped("breakpoint")
        frame = client.top(stop["threadId"])["id"]
        self.assertEqual(client.evaluate("term * 2 + k", frame, "hover").split()[0], "2")
        self.assertIn("0x0000002a", client.evaluate("40 + 2", frame, "watch", format={"hex": True}))
        answer = client.request("evaluate", {"expression": "summary", "frameId": frame, "context": "watch"})
        self.assertGreater(answer["variablesReference"], 0)
        self.assertEqual(answer["type"], "Summary")
        self.refuses("", "evaluate", {"expression": "nothing", "frameId": frame, "context": "hover"})
        self.refuses("", "evaluate", {"expression": "sum = 1", "frameId": frame, "context": "watch"})
        # The console takes expressions, assignments and commands.
        self.assertEqual(client.evaluate("k", frame, "repl").split()[0], "0")
        self.assertEqual(client.evaluate("sum = 4", frame, "repl").split()[0], "4")
        self.assertEqual(client.evaluate("sum", frame, "repl").split()[0], "4")
        self.assertIn("reduce (", client.evaluate("bt", frame, "repl"))
        self.assertIn("out", client.evaluate("-exec info args", frame, "repl"))
        self.refuses("", "evaluate", {"expression": "nosuchthing", "frameId": frame, "context": "repl"})
        result = client.evaluate("next", frame, "repl")
        self.assertIn("\t", result)
        client.stopped("step")
        frame = client.top(stop["threadId"])["id"]
        result = client.evaluate("item (1,0,0)", frame, "repl")
        self.assertIn("[work-item (1,0,0)", result)
        other = client.stopped("goto")
        self.assertNotEqual(other["threadId"], stop["threadId"])
        names = {t["id"]: t["name"] for t in client.request("threads")["threads"]}
        self.assertTrue(names[other["threadId"]].startswith("item (1,0,0) group (0,0,0)"), names)
        self.assertIn("break", client.evaluate("help", None, "repl"))
        client.evaluate("quit", None, "repl")
        client.event("terminated")

    def test_names_who_waits_and_where(self):
        client, _ = self.start(REDUCE, [TOTAL])
        stop = client.stopped("breakpoint")
        threads = client.request("threads")["threads"]
        current = next(t for t in threads if t["id"] == stop["threadId"])
        self.assertEqual(current["name"], f"item (0,0,0) group (0,0,0): at reduce.cl:{TOTAL}")
        client.request("setBreakpoints", {"source": REDUCE_SOURCE, "breakpoints": [{"line": BARRIER}]})
        client.request("reverseContinue", {"threadId": stop["threadId"]})
        stop = client.stopped("breakpoint")
        threads = client.request("threads")["threads"]
        waits = next(t for t in threads if t["id"] != stop["threadId"])
        self.assertIn(f"waits at the barrier reduce.cl:{BARRIER}", waits["name"])
        frames = client.request("stackTrace", {"threadId": waits["id"]})["stackFrames"]
        self.assertEqual(frames[0]["name"], "reduce")
        # Its variables are its own.
        own = client.evaluate("lid", frames[0]["id"]).split()[0]
        self.assertNotEqual(own, client.evaluate("lid").split()[0])
        self.assertTrue(waits["name"].startswith(f"item ({own},0,0)"))
        # One that waits can be stepped: others run until it may go on.
        client.request("next", {"threadId": waits["id"]})
        self.assertEqual(client.stopped("step")["threadId"], waits["id"])

    def test_reads_and_writes_memory(self):
        client, _ = self.start(REDUCE, [SUM])
        frame = client.top(client.stopped("breakpoint")["threadId"])["id"]
        arguments = client.variables(client.scope(frame, "Arguments"))
        where = arguments["in"]["memoryReference"]
        read = client.request("readMemory", {"memoryReference": where, "offset": 4, "count": 100})
        self.assertEqual(struct.unpack("<3f", base64.b64decode(read["data"])), (2.0, 3.0, 4.0))
        self.assertEqual(read["unreadableBytes"], 88)
        self.assertEqual(int(read["address"], 16), int(where, 16) + 4)
        beyond = client.request("readMemory", {"memoryReference": where, "offset": 16, "count": 4})
        self.assertEqual((beyond.get("data"), beyond["unreadableBytes"]), (None, 4))
        self.assertEqual(client.request("readMemory", {"memoryReference": where, "count": 0})["address"], read["address"][:-1] + "0")
        data = base64.b64encode(struct.pack("<2f", 7.0, 8.5)).decode()
        written = client.request("writeMemory", {"memoryReference": where, "offset": 4, "data": data})
        self.assertEqual(written["bytesWritten"], 8)
        self.assertEqual(number(client.evaluate("in[2]", frame)), 8.5)
        self.refuses("", "writeMemory", {"memoryReference": where, "offset": 12, "data": data})
        part = client.request("writeMemory", {"memoryReference": where, "offset": 12, "data": data, "allowPartial": True})
        self.assertEqual(part["bytesWritten"], 4)
        self.assertEqual(number(client.evaluate("in[3]", frame)), 7.0)
        self.refuses("Base64", "writeMemory", {"memoryReference": where, "data": "?"})
        self.refuses("no address", "readMemory", {"memoryReference": "here", "count": 1})
        self.refuses("negative", "readMemory", {"memoryReference": where, "count": -1})

    def test_sources(self):
        client, _ = self.start({**REDUCE, "stopOnEntry": True})
        client.stopped("entry")
        sources = client.request("loadedSources")["sources"]
        self.assertIn(str(DEBUG / "reduce.cl"), [s["path"] for s in sources])
        content = client.request("source", {"sourceReference": 1, "source": {"sourceReference": 1}})["content"]
        self.assertEqual(content, (DEBUG / "reduce.cl").read_text())
        self.refuses("no source", "source", {"sourceReference": 99})

    def test_completes(self):
        client, _ = self.start(REDUCE, [SUM])
        frame = client.top(client.stopped("breakpoint")["threadId"])["id"]

        def labels(text):
            targets = client.request("completions", {"text": text, "column": len(text) + 1, "frameId": frame})["targets"]
            return {t["label"]: t for t in targets}

        self.assertIn("summary", labels("print sum"))
        self.assertEqual((labels("print sum")["summary"]["start"], labels("print sum")["summary"]["length"]), (6, 3))
        self.assertIn("reverse-step", labels("rev"))
        self.assertIn("scratch", labels("scr"))

    def test_counts_lines_from_zero_if_asked(self):
        client, answers = self.start(REDUCE, [SUM - 1], linesStartAt1=False, columnsStartAt1=False)
        self.assertEqual(answers[0]["line"], SUM - 1)
        frame = client.top(client.stopped("breakpoint")["threadId"])
        self.assertEqual(frame["line"], SUM - 1)

    def test_a_module_without_lines(self):
        client = self.client
        client.initialize()
        client.launch(**{**REDUCE, "compiler": "clang-22", "stopOnEntry": True})
        answer = client.request("setBreakpoints", {"source": REDUCE_SOURCE, "breakpoints": [{"line": SUM}]})["breakpoints"]
        self.assertFalse(answer[0]["verified"])
        client.configured()
        thread = client.stopped("entry")["threadId"]
        frame = client.top(thread)
        self.assertNotIn("source", frame)
        client.request("next", {"threadId": thread})
        client.stopped("step")
        self.assertNotEqual(client.top(thread)["instructionPointerReference"], frame["instructionPointerReference"])

    def test_a_million_work_items(self):
        launch = {"module": str(HERE / "many.cl"), "global": 1000000, "args": ["uchar[1024]=0"]}
        line = line_of(HERE / "many.cl", "out[id & 1023]")
        client, _ = self.start({**launch, "detect": "none"}, [{"line": line, "condition": "id == 999999"}])
        stop = client.stopped("breakpoint")
        self.assertEqual(client.evaluate("id").split()[0], "999999")
        begin = time.monotonic()
        for _ in range(100):
            threads = client.request("threads")["threads"]
        self.assertLessEqual(len(threads), 64)
        self.assertIn(stop["threadId"], [t["id"] for t in threads])
        print(f"{(time.monotonic() - begin) * 10:.2f} ms a threads request with 1000000 work-items", file=sys.stderr)
        client.request("stepBack", {"threadId": stop["threadId"]})
        client.stopped()

    def test_one_group_of_many(self):
        launch = {**RACE, "global": 512, "local": 512, "args": ["int[512]=0"], "maxThreads": 10}
        line = line_of(HERE / "race.cl", "counter += ")
        client, _ = self.start(launch, [{"line": line, "condition": "lid == 300"}])
        stop = client.stopped("breakpoint")
        threads = client.request("threads")["threads"]
        self.assertEqual(len(threads), 10)
        self.assertEqual(threads[0]["id"], stop["threadId"])


class Protocol(Case):
    def test_order(self):
        client = self.client
        self.refuses("before 'initialize'", "launch", REDUCE)
        self.refuses("before 'initialize'", "threads")
        client.initialize()
        self.refuses("a second 'initialize'", "initialize", {"adapterID": "assay"})
        self.refuses("before a 'launch'", "threads")
        self.refuses("before a 'launch'", "setBreakpoints", {"source": REDUCE_SOURCE, "breakpoints": []})
        self.refuses("before a 'launch'", "configurationDone")
        client.launch(**REDUCE, stopOnEntry=True)
        self.refuses("a second 'launch'", "launch", REDUCE)
        self.refuses("before 'configurationDone'", "continue", {"threadId": 1})
        self.refuses("before 'configurationDone'", "restart")
        client.configured()
        client.stopped("entry")
        self.refuses("a second 'configurationDone'", "configurationDone")
        self.refuses("nothing runs", "pause", {"threadId": 1})
        self.assertEqual(client.finish(), 0)

    def test_launches_that_fail_say_what_run_says(self):
        client = self.client
        client.initialize()
        for launch, words in (
            ({"module": "/nonexistent.cl", "global": 1}, ["/nonexistent.cl", "-g", "1"]),
            ({"module": REDUCE["module"]}, [REDUCE["module"]]),
            ({"job": "/nonexistent.json"}, ["--job", "/nonexistent.json"]),
            ({**REDUCE, "kernel": "reduec"}, [REDUCE["module"], "-k", "reduec", "-g", "4", "-l", "2"] + [w for a in REDUCE["args"] for w in ("-a", a)]),
            ({**REDUCE, "args": ["float[2]=0"]}, [REDUCE["module"], "-g", "4", "-l", "2", "-a", "float[2]=0"]),
            ({**REDUCE, "detect": "everything"}, [REDUCE["module"], "-g", "4", "-l", "2", "--detect", "everything"] + [w for a in REDUCE["args"] for w in ("-a", a)]),
        ):
            run = subprocess.run([ASSAY, "run"] + words, capture_output=True, text=True)
            self.assertNotEqual(run.returncode, 0)
            with self.assertRaises(Refused) as refused:
                client.request("launch", launch)
            self.assertIn(str(refused.exception).strip(), run.stderr + run.stdout)
        self.refuses("'seed' must be", "launch", {**REDUCE, "seed": [[]]})
        self.refuses("cwd", "launch", {**REDUCE, "cwd": "/nonexistent"})
        # After all that one that succeeds.
        client.launch(**REDUCE, kernal="reduce")
        self.assertIn("did you mean kernel?", client.output("console"))
        self.assertEqual(client.finish(), 0)

    def test_wrong_arguments(self):
        client, _ = self.start(REDUCE, [SUM])
        thread = client.stopped("breakpoint")["threadId"]
        frame = client.top(thread)["id"]
        for command, arguments, part in (
            ("continue", {}, "threadId"),
            ("continue", {"threadId": "1"}, "threadId"),
            ("continue", {"threadId": 1.5}, "threadId"),
            ("continue", {"threadId": 12345}, "no thread 12345"),
            ("next", {"threadId": -1}, "no thread -1"),
            ("next", {"threadId": thread, "granularity": "page"}, "granularity"),
            ("stackTrace", {"threadId": 2**80}, "threadId"),
            ("stackTrace", {"threadId": thread, "startFrame": -1}, "negative"),
            ("scopes", {"frameId": 99999}, "no frame 99999"),
            ("scopes", {}, "frameId"),
            ("variables", {"variablesReference": 99999}, "no variables 99999"),
            ("variables", {"variablesReference": frame}, "no variables"),
            ("variables", {"variablesReference": []}, "variablesReference"),
            ("evaluate", {}, "expression"),
            ("evaluate", {"expression": "1", "frameId": 99999}, "no frame"),
            ("evaluate", {"expression": "1", "format": 3}, "format"),
            ("setBreakpoints", {}, "source"),
            ("setBreakpoints", {"source": REDUCE_SOURCE, "breakpoints": {}}, "breakpoints"),
            ("setBreakpoints", {"source": REDUCE_SOURCE, "breakpoints": [7]}, "breakpoints"),
            ("setBreakpoints", {"source": REDUCE_SOURCE, "breakpoints": [{"line": "x"}]}, "line"),
            ("setFunctionBreakpoints", {"breakpoints": [{}]}, "name"),
            ("setInstructionBreakpoints", {"breakpoints": [{}]}, "instructionReference"),
            ("setDataBreakpoints", {"breakpoints": [{}]}, "dataId"),
            ("setExceptionBreakpoints", {"filters": "findings"}, "filters"),
            ("disassemble", {"memoryReference": "0x100001"}, "instructionCount"),
            ("disassemble", {"memoryReference": "main", "instructionCount": 1}, "no address"),
            ("disassemble", {"memoryReference": "0x100001", "instructionCount": 10**9}, "at most"),
            ("disassemble", {"memoryReference": "0xffffffffff", "instructionCount": 1}, "no instruction"),
            ("exceptionInfo", {"threadId": thread}, "no finding"),
            ("completions", {"text": "x"}, "column"),
            ("breakpointLocations", {"line": 1}, "source"),
            ("dataBreakpointInfo", {}, "name"),
            ("attach", {}, "no request 'attach'"),
            ("", {}, "no request"),
        ):
            with self.subTest(command=command, arguments=arguments):
                self.refuses(part, command, arguments)
        self.refuses("", "setBreakpoints", [1])
        # Handles of an earlier stop are known to be stale.
        client.request("next", {"threadId": thread})
        client.stopped("step")
        self.refuses("no frame", "scopes", {"frameId": frame})
        self.assertEqual(client.finish(), 0)

    def send_body(self, body):
        self.client.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def test_bodies_that_are_no_requests(self):
        client = self.client
        for body, request in (
            (b"{", 0),
            (b"[]", 0),
            (b"7", 0),
            (b"", 0),
            (b'"\xff"', 0),
            (b"[" * 100000, 0),
            (b'{"seq": 1}', 1),
            (b'{"seq": 2, "type": "request"}', 2),
            (b'{"seq": 3, "type": "request", "command": 7}', 3),
            (b'{"seq": "x", "type": "request", "command": "threads"}', 0),
            (b'{"seq": 4, "type": "request", "command": "threads", "arguments": 1}', 4),
            (b'{"seq": 5, "type": "response", "command": "threads"}', 5),
            (b'{"seq": 6, "type": "event", "event": "x"}', 6),
        ):
            with self.subTest(body=body[:60]):
                self.send_body(body)
                response = client.response(request)
                self.assertFalse(response["success"])
                self.assertTrue(response["message"])
        client.initialize()
        self.assertEqual(client.finish(), 0)

    def test_headers_that_mean_nothing_end_it(self):
        for data in (
            b"Content-Length: -5\r\n\r\n{}",
            b"Content-Length: 99999999999999999999\r\n\r\n{}",
            b"Content-Length: 2000000000\r\n\r\n{}",
            b"Content-Length: many\r\n\r\n{}",
            b"Hello\r\n\r\n",
            b"Content-Type: x\r\n\r\n",
            b"a" * 100000,
        ):
            with self.subTest(data=data[:60]):
                client = self.another()
                client.raw(data)
                self.assertEqual(client.wait(), 2)
                self.assertIn(b"assay dap: ", client.stderr)
                client.process.stdin.close()

    def test_the_end_of_the_input_ends_it(self):
        client, _ = self.start(LONG)
        client.process.stdin.close()
        self.assertEqual(client.wait(), 0)
        client = self.another()
        client.raw(b"Content-Length: 20\r\n\r\n{")
        client.process.stdin.close()
        self.assertEqual(client.wait(), 2)

    def test_no_process_is_left(self):
        def children():
            found = []
            for entry in Path("/proc").iterdir():
                try:
                    line = (entry / "cmdline").read_bytes().split(b"\0")
                    environment = (entry / "environ").read_bytes()
                except OSError:
                    continue
                if line[1:2] == [b"dap"] and mark in environment:
                    found.append(entry.name)
            return found

        mark = f"ASSAY_DAP_TEST={os.getpid()}".encode()
        os.environ["ASSAY_DAP_TEST"] = str(os.getpid())
        try:
            for ends in ("disconnect", "terminate", "input", "kill"):
                with self.subTest(ends=ends):
                    client = self.another()
                    client.initialize()
                    client.launch(**LONG)
                    client.configured()
                    client.request("pause", {"threadId": 0})
                    thread = client.stopped("pause")["threadId"]
                    client.request("continue", {"threadId": thread})
                    self.assertTrue(children())
                    if ends == "terminate":
                        client.request("terminate")
                    if ends in ("disconnect", "terminate"):
                        client.request("disconnect", {})
                    if ends == "kill":
                        client.process.kill()
                    else:
                        client.process.stdin.close()
                    client.wait()
                    deadline = time.monotonic() + Client.TIMEOUT
                    while children() and time.monotonic() < deadline:
                        time.sleep(0.05)
                    self.assertEqual(children(), [])
        finally:
            del os.environ["ASSAY_DAP_TEST"]

    def test_every_capability_is_a_request_that_exists(self):
        capabilities = self.client.initialize()
        commands = {
            "supportsConfigurationDoneRequest": "configurationDone",
            "supportsFunctionBreakpoints": "setFunctionBreakpoints",
            "supportsStepBack": "stepBack",
            "supportsSetVariable": "setVariable",
            "supportsSetExpression": "setExpression",
            "supportsRestartRequest": "restart",
            "supportsTerminateRequest": "terminate",
            "supportsExceptionInfoRequest": "exceptionInfo",
            "supportsDataBreakpoints": "dataBreakpointInfo",
            "supportsReadMemoryRequest": "readMemory",
            "supportsWriteMemoryRequest": "writeMemory",
            "supportsDisassembleRequest": "disassemble",
            "supportsInstructionBreakpoints": "setInstructionBreakpoints",
            "supportsLoadedSourcesRequest": "loadedSources",
            "supportsCompletionsRequest": "completions",
            "supportsBreakpointLocationsRequest": "breakpointLocations",
            "supportsCancelRequest": "cancel",
        }
        others = {
            "supportsConditionalBreakpoints",
            "supportsHitConditionalBreakpoints",
            "supportsLogPoints",
            "supportsEvaluateForHovers",
            "supportsExceptionFilterOptions",
            "supportsSteppingGranularity",
            "supportsValueFormattingOptions",
            "supportsDelayedStackTraceLoading",
            "exceptionBreakpointFilters",
        }
        self.assertEqual(set(capabilities), set(commands) | others)
        for command in commands.values():
            if command != "cancel":
                self.refuses("before a 'launch'", command)


class Extension(Case):
    """What VS Code reads of tools/dap/vscode."""

    FOLDER = HERE.parents[1] / "tools" / "dap" / "vscode"

    def test_package(self):
        package = json.loads((self.FOLDER / "package.json").read_text())
        for field in ("name", "displayName", "version", "publisher", "engines", "contributes"):
            self.assertIn(field, package)
        self.assertTrue((self.FOLDER / package["main"]).is_file())
        self.assertIn("opencl", [b["language"] for b in package["contributes"]["breakpoints"]])
        (debugger,) = package["contributes"]["debuggers"]
        self.assertEqual(debugger["type"], "assay")
        attributes = debugger["configurationAttributes"]["launch"]["properties"]
        # Each is one that the adapter knows, and so are those of the examples.
        examples = json.loads((self.FOLDER / "launch.json").read_text())["configurations"]
        snippets = [snippet["body"] for snippet in debugger["configurationSnippets"]]
        used = {}
        for one in examples + snippets + debugger["initialConfigurations"]:
            self.assertEqual((one["type"], one["request"]), ("assay", "launch"))
            used.update(one)
        used = set(used) - {"type", "request", "name"}
        self.assertLessEqual(used, set(attributes))
        client = self.client
        client.initialize()
        values = {"string": "1", "integer": 1, "boolean": True, "array": ["1"], "object": {}}
        for name, schema in attributes.items():
            self.assertTrue(schema.get("description") or schema.get("enum"), name)
        sample = {k: v for k, v in attributes.items() if k not in ("job", "replay", "module", "args", "cwd")}
        launch = {k: values[v["type"] if isinstance(v["type"], str) else v["type"][0]] for k, v in sample.items()}
        launch.update(REDUCE, kernel="reduce", offset="0", buildOptions="", compiler="clang-15", choices="", detect="all")
        launch.update(ignore=["race-nonatomic@x.cl=why"], allow="same-value-race", rounding="rte", maxMemory="1G", specConstants={})
        launch.update(maxInstructions=0)
        client.launch(**launch)
        self.assertEqual(client.output("console"), "")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--assay", required=True)
    known, rest = parser.parse_known_args()
    ASSAY = os.path.abspath(known.assay)
    unittest.main(argv=[sys.argv[0]] + rest)
