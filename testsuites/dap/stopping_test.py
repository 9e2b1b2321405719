"""Breakpoints of every kind, and findings."""

import os
import tempfile
from pathlib import Path

from case import DEBUG, HERE, ONE, RACE, REDUCE, REDUCE_SOURCE, SQUARE, SUM, TERM, WRONG, Case, line_of, number


class Stopping(Case):
    def test_conditions_hits_and_logs(self):
        client, answers = self.start(
            ONE,
            [
                {"line": SUM, "condition": "k == 2"},
                {"line": TERM, "hitCondition": "%2"},
                {"line": TERM, "logMessage": "sum before {k} is {sum}, {"},
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
        self.assertEqual([line[5] for line in logged], ["0", "1", "9"])
        self.assertTrue(all(line[-1] == "{" for line in logged))

    def test_log_messages_are_checked(self):
        client, answers = self.start(
            ONE,
            [
                {"line": TERM, "logMessage": "{k}, {nothing}"},
                {"line": TERM, "logMessage": "{k +}"},
                {"line": TERM, "logMessage": "{}"},
                {"line": TERM, "logMessage": "{summary} } {"},
                {"line": TERM, "logMessage": "k", "hitCondition": "%0"},
            ],
        )
        self.assertEqual([a["verified"] for a in answers], [False, False, False, True, False])
        self.assertRegex(answers[0]["message"], "^log message: 'nothing': .*no variable 'nothing'")
        self.assertRegex(answers[1]["message"], "^log message: 'k \\+'")
        self.assertRegex(answers[2]["message"], "^log message: ''")
        self.assertIn("hit condition '%0'", answers[4]["message"])
        named = [{"name": "square", "logMessage": "{sum}"}, {"name": "square", "logMessage": "{x}"}]
        answers = client.request("setFunctionBreakpoints", {"breakpoints": named})["breakpoints"]
        self.assertEqual([a["verified"] for a in answers], [False, True])
        client.event("terminated")
        # What was refused logs nothing.
        self.assertNotIn("<", client.output("console").replace("<undefined>", ""))

    def test_what_dprintf_prints_stops_nothing(self):
        client, _ = self.start(ONE, [{"line": SUM, "hitCondition": "==1"}])
        stop = client.stopped("breakpoint")
        client.evaluate(f'dprintf {TERM},"k is %d\\n", k', None, "repl")
        client.request("continue", {"threadId": stop["threadId"]})
        client.event("terminated")
        logged = [line for line in client.output("console").splitlines() if line.startswith("k is")]
        self.assertEqual(logged, ["k is 1", "k is 2"])

    def test_log_points_end_no_step_of_the_console(self):
        launch = {**ONE, "stopOnEntry": True}
        client, _ = self.start(launch)
        client.stopped("entry")
        client.evaluate("-exec stepi 30", None, "repl")
        client.stopped("step")
        place = client.evaluate("$time")
        other = self.another()
        self.client = other
        other, _ = self.start(launch, [{"line": TERM, "logMessage": "k is {k}", "hitCondition": "<9"}])
        other.stopped("entry")
        other.evaluate("-exec stepi 30", None, "repl")
        other.stopped("step")
        self.assertEqual(other.evaluate("$time"), place)
        self.assertIn("k is 0", other.output("console"))
        # Going back passes them.
        other.evaluate("-exec reverse-stepi 30", None, "repl")
        other.stopped("step")
        self.assertEqual(other.output("console").count("k is 0"), 1)

    def test_commands_of_breakpoints_run_when_the_editor_continues(self):
        client, _ = self.start({**ONE, "stopOnEntry": True})
        thread = client.stopped("entry")["threadId"]
        client.evaluate(f"-exec break {SUM}", None, "repl")
        client.evaluate("-exec commands\nprint k + 100\nif k < 1\ncontinue\nend\nend", None, "repl")
        client.request("continue", {"threadId": thread})
        stop = client.stopped("breakpoint")
        self.assertIn("= 100 ", client.output("console"))
        self.assertIn("= 101 ", client.output("console"))
        self.assertEqual(client.evaluate("k").split()[0], "1")  # the first went on by itself
        client.evaluate("-exec commands\nkill\nend", None, "repl")
        client.request("continue", {"threadId": stop["threadId"]})
        client.event("terminated")

    def test_texts_obey_no_module(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "title.cl")
            Path(path).write_text(
                'kernel void k(global int* o) {\n  printf("\\033]0;title\\007\\n");\n  o[0] = 1;\n}\n'
            )
            client, _ = self.start({"module": path, "global": 1, "args": ["int[1]=0"]}, [3])
            thread = client.stopped("breakpoint")["threadId"]
            self.assertEqual(client.top(thread)["source"]["path"], os.path.realpath(path))
            self.refuses("'\\x1b' is not known", "evaluate", {"expression": "o\x1b[31m", "context": "watch"})
            client.request("continue", {"threadId": thread})
            client.event("terminated")
            self.assertEqual(client.output("stdout"), "\\x1b]0;title\\x07\n")

    def test_an_element_beside_its_row_is_shown_with_a_warning(self):
        tile = {"module": str(DEBUG / "tile.cl"), "global": [4, 2], "local": [4, 2],
                "args": ["float[8]=0", "float[8]=range(1,1)", "int=4"], "detect": "none"}
        client, _ = self.start(tile, [line_of(DEBUG / "tile.cl", "k <= SIZE")])
        client.stopped("breakpoint")
        shown = client.evaluate("rows[0][4]")
        self.assertEqual(number(shown), 5)
        self.assertIn("warning: ", shown)
        self.assertIn("element 4 of 4 elements", shown)

    def test_a_step_ends_where_something_is_only_logged(self):
        launch = {**ONE, "stopOnEntry": True}

        def places(client, count):
            thread = client.stopped("entry")["threadId"]
            for _ in range(count):
                client.request("next", {"threadId": thread})
                self.assertNotIn("hitBreakpointIds", client.stopped("step"))
                frame = client.top(thread)
                yield frame["line"], frame["column"]

        logging = [{"line": SUM, "logMessage": "adds"}, {"line": TERM, "hitCondition": "100"}]
        client, answers = self.start(launch, logging)
        self.assertEqual([a["verified"] for a in answers], [True, True])
        with_logs = list(places(client, 12))
        self.client = self.another()
        client_without, _ = self.start(launch)
        self.assertEqual(with_logs, list(places(client_without, 12)))
        self.assertIn(SUM, [line for line, _ in with_logs])
        self.assertEqual(client.output("console").count("adds"), [line for line, _ in with_logs].count(SUM))

    def test_keeps_what_stays_and_drops_what_is_not_named(self):
        client, answers = self.start(REDUCE, [TERM, SUM])
        thread = client.stopped("breakpoint")["threadId"]
        again = client.request("setBreakpoints", {"source": REDUCE_SOURCE, "breakpoints": [{"line": SUM}]})["breakpoints"]
        self.assertEqual(again[0]["id"], answers[1]["id"])
        client.request("continue", {"threadId": thread})
        self.assertEqual(client.stopped("breakpoint")["hitBreakpointIds"], [answers[1]["id"]])

    def test_breaks_within_a_line(self):
        source = HERE / "long.cl"
        launch = {"module": str(source), "global": 1, "args": ["uint[1]=0", "uint=5"], "stopOnEntry": True}
        line = line_of(source, "++i")
        text = source.read_text().splitlines()[line - 1]
        client, _ = self.start(launch)
        thread = client.stopped("entry")["threadId"]
        where = client.request("breakpointLocations", {"source": {"path": str(source)}, "line": line})["breakpoints"]
        columns = [one["column"] for one in where]
        self.assertEqual(columns, sorted(set(columns)))
        self.assertEqual({one["line"] for one in where}, {line})
        self.assertIn(text.index("++i") + 1, columns)
        self.assertIn(text.index("i < n") + 1, columns)
        asked = [{"line": line, "column": text.index("++i")}, {"line": line, "column": 200}, {"line": line, "column": "x"}]
        answers = client.request("setBreakpoints", {"source": {"path": str(source)}, "breakpoints": asked})["breakpoints"]
        self.assertEqual([one["verified"] for one in answers], [True, True, False])
        self.assertEqual((answers[0]["line"], answers[0]["column"]), (line, text.index("++i") + 1))
        self.assertEqual(answers[1]["column"], columns[-1])
        self.assertIn("'column'", answers[2]["message"])
        # Once in a round, when it is over.
        asked = [{"line": line, "column": text.index("++i") + 1}]
        client.request("setBreakpoints", {"source": {"path": str(source)}, "breakpoints": asked})
        for i in range(5):
            client.request("continue", {"threadId": thread})
            client.stopped("breakpoint")
            frame = client.top(thread)
            self.assertEqual((frame["line"], frame["column"]), (line, text.index("++i") + 1))
            self.assertEqual(client.evaluate("i").split()[0], str(i))
        client.request("continue", {"threadId": thread})
        client.event("terminated")

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
            {"memoryReference": frame["instructionPointerReference"], "instructionOffset": -3, "instructionCount": 20},
        )["instructions"]
        self.assertEqual(len(listing), 20)
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
        # The kernel itself, around which llvm-spirv puts a function of the same name.
        while client.top(stop["threadId"])["name"] != "reduce":
            client.request("next", {"threadId": stop["threadId"]})
            client.stopped("step")
        here = client.top(stop["threadId"])
        (one,) = client.request(
            "disassemble", {"memoryReference": here["instructionPointerReference"], "instructionCount": 1}
        )["instructions"]
        self.assertEqual((one["address"], one["line"]), (here["instructionPointerReference"], here["line"]))
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

    def test_data_breakpoints_end_with_their_function(self):
        client, _ = self.start(ONE, [TERM])
        thread = client.stopped("breakpoint")["threadId"]
        info = client.request("dataBreakpointInfo", {"name": "sum", "frameId": client.top(thread)["id"]})
        asked = [{"dataId": info["dataId"], "condition": "sum < -1"}]
        answer = client.request("setDataBreakpoints", {"breakpoints": asked})["breakpoints"][0]
        self.assertTrue(answer["verified"])
        client.request("setBreakpoints", {"source": REDUCE_SOURCE, "breakpoints": []})
        client.request("continue", {"threadId": thread})
        changed = client.event("breakpoint")["breakpoint"]
        self.assertEqual((changed["id"], changed["verified"]), (answer["id"], False))
        self.assertIn("returned", changed["message"])
        client.event("terminated")

    def test_a_breakpoint_waits_for_its_launch(self):
        client, _ = self.start({"job": str(DEBUG / "launches.json")})
        self.assertTrue(client.event("terminated") is not None)
        client = self.another()
        client.initialize()
        client.launch(job=str(DEBUG / "launches.json"))
        place = {"breakpoints": [{"name": "add"}, {"name": "nowhere"}]}
        answers = client.request("setFunctionBreakpoints", place)["breakpoints"]
        self.assertEqual([one["verified"] for one in answers], [False, False])
        self.assertIn("another launch", answers[0]["message"])
        client.configured()
        stop = client.stopped("function breakpoint")
        self.assertEqual(stop["hitBreakpointIds"], [answers[0]["id"]])
        self.assertEqual(client.top(stop["threadId"])["name"], "add")

    def test_data_breakpoints_of_each_kind(self):
        client, _ = self.start(REDUCE, [TERM])
        thread = client.stopped("breakpoint")["threadId"]
        client.request("setBreakpoints", {"source": REDUCE_SOURCE, "breakpoints": []})
        frame = client.top(thread)["id"]
        info = client.request("dataBreakpointInfo", {"name": "sum", "frameId": frame})
        self.assertIn("sum", info["description"])
        self.assertIsNone(client.request("dataBreakpointInfo", {"name": "nothing", "frameId": frame})["dataId"])
        self.assertIsNone(client.request("dataBreakpointInfo", {"name": "1 + 1", "frameId": frame})["dataId"])
        # What is in no memory has changes, and no accesses.
        value = client.request("dataBreakpointInfo", {"name": "sum * 2", "frameId": frame})
        self.assertEqual(value["accessTypes"], ["write"])
        for access in ("read", "readWrite", "write"):
            asked = {"breakpoints": [{"dataId": value["dataId"], "accessType": access}]}
            answer = client.request("setDataBreakpoints", asked)
            self.assertEqual(answer["breakpoints"][0]["verified"], access == "write", answer)
        client.request("continue", {"threadId": thread})
        self.assertRegex(client.stopped("data breakpoint")["text"], r"^sum \* 2: 0 .* -> 2 ")
        self.assertEqual(number(client.evaluate("sum")), 1)
        for access, line in (("read", SUM), ("readWrite", SUM), ("write", SUM)):
            answer = client.request("setDataBreakpoints", {"breakpoints": [{"dataId": info["dataId"], "accessType": access}]})
            self.assertTrue(answer["breakpoints"][0]["verified"], answer)
            client.request("continue", {"threadId": thread})
            stop = client.stopped("data breakpoint")
            self.assertRegex(stop["text"], r"^sum: \S.* -> \S" if access == "write" else "^sum$")
            self.assertIn(client.top(stop["threadId"])["line"], (line, line + 1, line - 3, line - 4), access)
        # Bytes, whatever is there.
        frame = client.top(stop["threadId"])["id"]
        place = client.request("evaluate", {"expression": "&out[0]", "frameId": frame})["memoryReference"]
        some = client.request("dataBreakpointInfo", {"name": place, "asAddress": True, "bytes": 4})
        self.assertIn("4 bytes", some["description"])
        self.assertIsNone(client.request("dataBreakpointInfo", {"name": place, "asAddress": True, "bytes": 9})["dataId"])
        self.assertIsNone(client.request("dataBreakpointInfo", {"name": "0x10", "asAddress": True, "bytes": 1})["dataId"])
        self.assertIsNone(client.request("dataBreakpointInfo", {"name": "sum", "frameId": frame, "bytes": 5})["dataId"])
        answer = client.request("setDataBreakpoints", {"breakpoints": [{"dataId": some["dataId"], "accessType": "write"}]})
        client.request("continue", {"threadId": stop["threadId"]})
        stop = client.stopped("data breakpoint")
        self.assertEqual(stop["hitBreakpointIds"], [answer["breakpoints"][0]["id"]])
        client.request("reverseContinue", {"threadId": stop["threadId"]})
        stop = client.stopped()
        # What is in global memory is watched through a restart, too.
        info = client.request("dataBreakpointInfo", {"name": "out[0]", "frameId": client.top(stop["threadId"])["id"]})
        answer = client.request("setDataBreakpoints", {"breakpoints": [{"dataId": info["dataId"]}]})
        client.request("restart", {})
        stop = client.stopped("data breakpoint")
        self.assertEqual(stop["hitBreakpointIds"], [answer["breakpoints"][0]["id"]])
        self.assertRegex(stop["text"], r"^out\[0\]: 0 .* -> 24.75 ")
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
