"""Launching, moving forward and back, pausing, restarting."""

import json
import subprocess
import tempfile
from pathlib import Path

from client import Client
from case import ASSAY, DEBUG, HERE, LONG, ONE, PRINT, REDUCE, REDUCE_SOURCE, SQUARE, SUM, TERM, WRONG, Case, line_of, number


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
        self.assertEqual(list(scopes), ["Arguments", "Locals", "Globals", "SPIR-V values", "Memory objects", "Work-item"])
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
        # A step over calls from there is one into the kernel.
        client.request("setBreakpoints", {"source": REDUCE_SOURCE, "breakpoints": []})
        client.request("reverseContinue", {"threadId": thread})
        client.stopped("entry")
        client.request("next", {"threadId": thread})
        client.stopped("step")
        self.assertEqual(client.top(thread)["line"], line_of(REDUCE["module"], "size_t id ="))

    def test_says_that_a_work_item_has_returned(self):
        client, _ = self.start(REDUCE, [line_of(REDUCE["module"], "barrier(")])
        thread = client.stopped("breakpoint")["threadId"]
        client.request("setBreakpoints", {"source": REDUCE_SOURCE, "breakpoints": []})
        client.request("stepOut", {"threadId": thread})
        self.assertIn("description", client.stopped("step"))

    def test_stops_on_entry_and_at_the_end(self):
        client, _ = self.start({**REDUCE, "stopOnEntry": True, "stopAtEnd": True})
        thread = client.stopped("entry")["threadId"]
        self.assertEqual(client.top(thread)["name"], "reduce")
        client.request("continue", {"threadId": thread})
        stop = client.stopped("end")
        # At the end of what somebody wrote; and from there the way leads back.
        last = client.top(stop["threadId"])["line"]
        self.assertEqual(Path(REDUCE["module"]).read_text().splitlines()[last - 1], "}")
        client.request("stepBack", {"threadId": stop["threadId"]})
        client.stopped("step")
        self.assertLess(client.top(stop["threadId"])["line"], last)
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

    def test_a_relative_cwd_stays_where_it_is(self):
        self.client = Client(ASSAY, cwd=HERE)
        self.addCleanup(self.client.close)
        launch = {**ONE, "module": "reduce.cl", "cwd": "../debug", "stopOnEntry": True}
        self.client.initialize()
        self.refuses("nonexistent.cl", "launch", {**launch, "module": "nonexistent.cl"})
        self.client.launch(**launch)
        self.client.configured()
        self.client.stopped("entry")
        self.client.request("restart", {})
        self.client.stopped("entry")

    def test_answers_on_the_way_to_the_end(self):
        launch = {**LONG, "args": ["uint[1]=0", "uint=300000"], "stopOnEntry": True, "stopAtEnd": True}
        client, _ = self.start(launch)
        thread = client.stopped("entry")["threadId"]
        client.send("continue", {"threadId": thread})
        pending = []
        while not any(e["event"] == "stopped" for e in client.events):
            breakpoints = {"source": {"path": LONG["module"]}, "breakpoints": []}
            if len(pending) < 500:
                pending.append(client.send("setBreakpoints", breakpoints))
            client.request("threads")
        for one in pending:
            self.assertTrue(client.response(one)["success"])
        self.assertEqual(client.stopped("end")["threadId"], thread)
        # The answers are still those to the questions.
        self.assertEqual(client.top(thread)["name"], "spin")
        self.assertEqual(client.evaluate("n").split()[0], "300000")

    def test_breakpoints_wait_for_what_the_console_moves(self):
        client, _ = self.start({**LONG, "args": ["uint[1]=0", "uint=300000"], "stopOnEntry": True, "stopAtEnd": True})
        client.stopped("entry")
        moving = client.send("evaluate", {"expression": "-exec continue", "context": "repl"})
        client.request("threads")
        client.request("setBreakpoints", {"source": {"path": LONG["module"]}, "breakpoints": []})
        self.assertNotIn("Interrupted", client.response(moving)["body"]["result"])

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
        # A breakpoint is set while it runs, and is met, however far it has come by then.
        client.request("continue", {"threadId": thread})
        answer = client.request(
            "setBreakpoints",
            {"source": {"path": LONG["module"]}, "breakpoints": [{"line": line, "condition": f"i >= {first + 400000}"}]},
        )
        self.assertTrue(answer["breakpoints"][0]["verified"])
        client.stopped("breakpoint")
        here = int(client.evaluate("i").split()[0])
        self.assertGreaterEqual(here, first + 400000)
        client.request("setBreakpoints", {"source": {"path": LONG["module"]}, "breakpoints": []})
        # Going back can be paused too: it stays where it was.
        client.request("reverseContinue", {"threadId": thread})
        client.request("pause", {"threadId": thread})
        stop = client.stopped()
        self.assertIn(stop["reason"], ("pause", "entry"))
        if stop["reason"] == "pause":
            self.assertEqual(int(client.evaluate("i").split()[0]), here)
        client.request("continue", {"threadId": thread})
        client.request("terminate")
        client.event("terminated")
        self.assertEqual(client.finish(), 0)

    def test_has_a_thread_before_it_stops(self):
        client, _ = self.start(LONG)
        for again in (False, True):
            with self.subTest(again=again):
                if again:
                    client.request("restart", {})
                started = client.event("thread")
                self.assertEqual(started["reason"], "started")
                (thread,) = client.request("threads")["threads"]
                self.assertEqual(thread, {"id": started["threadId"], "name": "item (0,0,0) group (0,0,0)"})
                client.request("pause", {"threadId": thread["id"]})
                stop = client.stopped("pause")
                self.assertEqual(stop["threadId"], thread["id"])
                # Where it stands is not known any more while it runs.
                self.assertRegex(client.request("threads")["threads"][0]["name"], ": at ")
                client.request("continue", {"threadId": thread["id"]})
                self.assertEqual(client.request("threads")["threads"], [thread])
        self.assertEqual(client.finish(), 0)

    def test_says_that_a_restart_goes_on(self):
        client, _ = self.start({**ONE, "stopOnEntry": True})
        thread = client.stopped("entry")["threadId"]
        client.request("restart", {})
        self.assertEqual(client.event("continued"), {"threadId": thread, "allThreadsContinued": True})
        client.stopped("entry")

    def test_shows_progress(self):
        line = line_of(HERE / "long.cl", "x * 1664525u")
        quiet = self.another()
        quiet.initialize()
        quiet.launch(**LONG)
        quiet.configured()
        client, _ = self.start(LONG, supportsProgressReporting=True)
        start = client.event("progressStart")
        self.assertTrue(start["cancellable"])
        self.assertTrue(start["title"])
        self.assertEqual(client.event("progressUpdate")["progressId"], start["progressId"])
        client.request("cancel", {"progressId": "none such"})
        client.request("cancel", {"progressId": start["progressId"]})
        # It is gone before the stop is told.
        self.assertEqual(client.event("progressEnd"), {"progressId": start["progressId"]})
        thread = client.stopped("pause")["threadId"]
        # One that has ended cancels nothing.
        breakpoints = {"source": {"path": LONG["module"]}, "breakpoints": [{"line": line}]}
        client.request("setBreakpoints", breakpoints)
        client.request("cancel", {"progressId": start["progressId"]})
        client.request("continue", {"threadId": thread})
        client.stopped("breakpoint")
        client.request("setBreakpoints", {**breakpoints, "breakpoints": []})
        client.request("continue", {"threadId": thread})
        again = client.event("progressStart")
        self.assertNotEqual(again["progressId"], start["progressId"])
        client.request("terminate")
        self.assertEqual(client.event("progressEnd")["progressId"], again["progressId"])
        client.event("terminated")
        self.assertEqual(client.finish(), 0)
        quiet.request("pause", {"threadId": 1})
        while not any(event["event"] == "stopped" for event in quiet.events):
            quiet.pump()
        self.assertFalse([event for event in quiet.events if event["event"].startswith("progress")])

    def test_a_run_without_debugging_cannot_be_cancelled(self):
        client, _ = self.start({**LONG, "noDebug": True}, supportsProgressReporting=True)
        start = client.event("progressStart")
        self.assertFalse(start["cancellable"])
        client.request("cancel", {"progressId": start["progressId"]})
        self.assertEqual(client.event("progressUpdate")["progressId"], start["progressId"])
        client.request("terminate")
        client.event("progressEnd")
        client.event("terminated")

    def test_storms(self):
        client, _ = self.start(LONG)
        source = {"path": LONG["module"]}
        many = [{"line": 1 + i % 8, "condition": f"n == {i}"} for i in range(1000)]
        answers = client.request("setBreakpoints", {"source": source, "breakpoints": many})["breakpoints"]
        self.assertEqual(len({a["id"] for a in answers}), 1000)
        client.request("setBreakpoints", {"source": source, "breakpoints": []})
        for seq in [client.send("setBreakpoints", {"source": source, "breakpoints": many[i:]}) for i in range(990, 1000)]:
            self.assertTrue(client.response(seq)["success"])
        client.request("setBreakpoints", {"source": source, "breakpoints": []})
        pauses = [client.send("pause", {"threadId": 1}) for _ in range(300)]
        self.assertTrue(client.response(pauses[0])["success"])
        for seq in pauses[1:]:
            client.response(seq)
        thread = client.stopped()["threadId"]
        # However many there were, it has stopped once, and goes on.
        client.request("continue", {"threadId": thread})
        for _ in range(20):
            client.request("threads")
        self.assertNotIn("stopped", [e["event"] for e in client.events])
        restarts = [client.send("restart", {}) for _ in range(10)]
        for seq in restarts:
            self.assertTrue(client.response(seq)["success"])
        client.request("pause", {"threadId": 1})
        client.stopped("pause")
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
