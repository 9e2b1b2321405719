"""Variables, memory, expressions, work-items, sources."""

import base64
import shutil
import struct
import sys
import time
import unittest

from case import BARRIER, DEBUG, HERE, ONE, PRINT, RACE, REDUCE, REDUCE_SOURCE, SQUARE, SUM, TOTAL, Case, line_of, number
from client import Refused


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
        self.assertEqual(client.variables(table["variablesReference"], start=2**52, count=2**52), {})
        self.assertEqual(client.variables(table["variablesReference"], start=5000, count=5), {})
        self.assertEqual(client.variables(table["variablesReference"], filter="named"), {})
        # A page is what was asked for, however long.
        page = client.variables(table["variablesReference"], start=500, count=2000, filter="indexed")
        self.assertEqual(list(page), [f"[{i}]" for i in range(500, 2500)])
        page = client.variables(table["variablesReference"], count=10**6, filter="indexed")
        self.assertEqual(list(page), [f"[{i}]" for i in range(3000)])
        # All at once they come as ranges.
        ranges = client.variables(table["variablesReference"])
        self.assertEqual(list(ranges), ["[0..999]", "[1000..1999]", "[2000..2999]"])
        last = client.variables(ranges["[2000..2999]"]["variablesReference"])
        self.assertEqual(last["[2999]"]["value"].split()[0], str(2999 * 2999))
        arguments = client.variables(client.scope(frame, "Arguments"))
        self.assertEqual(arguments["out"]["indexedVariables"], 5000)
        some = client.variables(client.scope(frame, "Locals"), start=1, count=1)
        self.assertEqual(len(some), 1)

    def test_work_item_in_its_sub_group(self):
        launch = {
            "module": str(HERE / "subgroups.cl"),
            "global": 80,
            "local": 40,
            "subGroupSize": 16,
            "args": ["int[80]=0"],
        }
        where = "get_group_id(0) == 1 && get_sub_group_id() == 2 && get_sub_group_local_id() == 3"
        line = {"line": line_of(HERE / "subgroups.cl", "out[get_global_id(0)]"), "condition": where}
        client, _ = self.start(launch, [line])
        frame = client.top(client.stopped("breakpoint")["threadId"])["id"]
        ids = client.variables(client.scope(frame, "Work-item"))
        expected = {
            "get_global_id(0)": 75,
            "get_local_id(0)": 35,
            "get_group_id(0)": 1,
            "get_local_linear_id()": 35,
            "get_sub_group_id()": 2,
            "get_sub_group_local_id()": 3,
            "get_sub_group_size()": 8,  # 16, 16 and 8 are 40
            "get_num_sub_groups()": 3,
        }
        for name, value in expected.items():
            self.assertEqual(int(ids[name]["value"].split()[0]), value, name)
        self.assertEqual(client.variables(client.scope(frame, "Locals"))["sum"]["value"].split()[0], "8")

    def test_names_frames_as_wished(self):
        client, _ = self.start(ONE, [SQUARE])
        thread = client.stopped("breakpoint")["threadId"]

        def names(**wish):
            frames = client.request("stackTrace", {"threadId": thread, "format": wish})["stackFrames"]
            return [frame["name"] for frame in frames]

        self.assertEqual(names(), ["square", "reduce"])
        self.assertEqual(names(includeAll=True), ["square", "reduce"])
        self.assertEqual(names(parameterTypes=True)[0], "square(float)")
        self.assertEqual(names(parameterTypes=True, parameterNames=True)[0], "square(float x)")
        self.assertEqual(names(parameterNames=True)[0], "square(x)")
        self.assertEqual(names(parameterValues=True, line=True)[0], f"square(1) Line {SQUARE}")
        self.assertEqual(names(parameters=True)[0], "square(x=1)")
        self.assertEqual(names(parameters=True, hex=True)[0], "square(x=0x3f800000)")
        self.assertRegex(names(parameters=True)[1], r"^reduce\(out=.*, in=.*, scratch=.*, scale=0.5\)$")
        self.refuses("'line'", "stackTrace", {"threadId": thread, "format": {"line": 1}})
        self.refuses("'format'", "stackTrace", {"threadId": thread, "format": 7})

    def test_columns_are_units_of_utf16(self):
        source = HERE / "columns.cl"
        line = line_of(source, "scale * 2")
        launch = {"module": str(source), "global": 1, "args": ["float[1]=0", "float=3"]}
        client, _ = self.start(launch, [line])
        frame = client.top(client.stopped("breakpoint")["threadId"])
        text = source.read_text().splitlines()[line - 1]
        self.assertEqual(frame["line"], line)
        # The load of scale comes first.
        behind = text[: text.index("scale")].encode("utf-16-le")
        self.assertEqual(frame["column"], len(behind) // 2 + 1)

    def test_ranges_of_ranges(self):
        launch = {"module": str(HERE / "many.cl"), "global": 1, "args": ["uchar[2000001]=7"], "stopOnEntry": True}
        client, _ = self.start(launch)
        frame = client.top(client.stopped("entry")["threadId"])["id"]
        out = client.variables(client.scope(frame, "Arguments"))["out"]
        self.assertEqual(out["indexedVariables"], 2000001)
        ranges = client.variables(out["variablesReference"])
        self.assertEqual(list(ranges), ["[0..999999]", "[1000000..1999999]", "[2000000..2000000]"])
        page = {"variablesReference": out["variablesReference"], "filter": "indexed", "start": 7}
        self.refuses("at most 100000", "variables", {**page, "count": 100001})
        inner = client.variables(ranges["[1000000..1999999]"]["variablesReference"])
        self.assertEqual((len(inner), list(inner)[-1]), (1000, "[1999000..1999999]"))
        values = client.variables(inner["[1999000..1999999]"]["variablesReference"])
        self.assertEqual((len(values), list(values)[-1]), (1000, "[1999999]"))
        self.assertEqual(list(client.variables(ranges["[2000000..2000000]"]["variablesReference"])), ["[2000000]"])

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
        # A column is one of what somebody typed.
        self.refuses("column 3: ", "setVariable", {"variablesReference": local, "name": "sum", "value": "1+"})
        self.refuses("column 3: ", "setExpression", {"expression": "in[0]", "value": "1+", "frameId": frame})
        self.refuses("column 5: ", "setVariable", {"variablesReference": local, "name": "sum", "value": "1 + nothing"})
        with self.assertRaises(Refused) as refused:
            client.request("setVariable", {"variablesReference": local, "name": "sum", "value": "summary"})
        self.assertNotIn("column", str(refused.exception))
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

    @unittest.skipUnless(shutil.which("clang-15"), "what the optimizer leaves of a variable is clang-15's")
    def test_puts_pieces_together(self):
        launch = {"module": str(DEBUG / "pieces.cl"), "global": 1, "buildOptions": "-O2",
                  "args": ["float[16]=0", "float[2]=range(2,1)", "int=4"]}
        client, _ = self.start(launch, [line_of(DEBUG / "pieces.cl", "out[id] =")])
        frame = client.top(client.stopped("breakpoint")["threadId"])["id"]
        local = client.variables(client.scope(frame, "Locals"))
        self.assertEqual(local["sums"]["value"], "{<optimized out>, 7, <optimized out>}")
        parts = client.variables(local["sums"]["variablesReference"])
        self.assertEqual(parts["[0]"]["value"], "<optimized out>")
        self.assertEqual(parts["[1]"]["value"].split()[0], "7")

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
        shown = client.variables(client.scope(frame, "Locals"), format={"hex": True})
        self.assertTrue(shown["k"]["value"].startswith("0x"), shown["k"])
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
        # Lines that belong together come together.
        define = 'define twice\nprintf "twice %d\\n", $arg0 * 2\nend\ntwice 7'
        self.assertIn("twice 14", client.evaluate(define, frame, "repl"))
        self.assertIn("twice 6", client.evaluate("twice 3", frame, "repl"))
        self.refuses("has no `end`", "evaluate", {"expression": "while 1\nnext", "frameId": frame, "context": "repl"})
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

    def test_no_expression_ends_the_run(self):
        client = self.client
        client.initialize()
        client.launch(**REDUCE, stopOnEntry=True)
        client.configured()
        frame = client.top(client.stopped("entry")["threadId"])["id"]
        for text in ("k", "q", "r", "k == 8", "q == 3", "r * 2", "kill k", "quit q", "run r", "kil", "qui"):
            with self.subTest(text=text), self.assertRaises(Refused):
                client.evaluate(text, frame, "repl")
        self.assertTrue(client.top(1)["name"].startswith("reduce"))
        client.evaluate("-exec q", frame, "repl")
        client.event("terminated")
        self.assertEqual(client.finish(), 0)

    def test_lines_and_loops_of_the_console(self):
        client, _ = self.start(ONE, [SUM])
        thread = client.stopped("breakpoint")["threadId"]
        # Several lines are commands, whatever the first one is.
        client.request("setBreakpoints", {"source": REDUCE_SOURCE, "breakpoints": []})
        said = client.evaluate("next\nprint $line", None, "repl")
        self.assertIn(f"= {client.top(thread)['line']} ", said)
        self.refuses("nothing", "evaluate", {"expression": "print sum\nprint nothing", "context": "repl"})
        self.assertIn("$", client.output("console"))
        # A loop ends where somebody wants its end.
        client.evaluate("set $q = 0", None, "repl")
        loop = client.send("evaluate", {"expression": "while 1\nset $q++\nend", "context": "repl"})
        time.sleep(0.3)
        client.request("pause", {"threadId": thread})
        answer = client.response(loop)
        self.assertFalse(answer["success"])
        self.assertIn("interrupted", answer["message"])
        self.assertNotIn("= 0 ", client.evaluate("print $q", None, "repl"))

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
        # So is its private memory, though both have it at the same address.
        for frame in (frames[0]["id"], client.top(stop["threadId"])["id"]):
            place = client.request("evaluate", {"expression": "lid", "frameId": frame})
            read = client.request("readMemory", {"memoryReference": place["memoryReference"], "count": 8})
            self.assertEqual(int.from_bytes(base64.b64decode(read["data"]), "little"), int(place["result"].split()[0]))
        for bad in ("@", "0x1@", "0x1@1", "0x1@1/", "0x1@/1", "0x1@1/x", "@1/1"):
            self.refuses("", "readMemory", {"memoryReference": bad, "count": 1})
        # One that waits can be stepped: others run until it may go on.
        client.request("next", {"threadId": waits["id"]})
        self.assertEqual(client.stopped("step")["threadId"], waits["id"])

    def test_lists_who_has_begun(self):
        client, _ = self.start({**REDUCE, "stopOnEntry": True})
        stop = client.stopped("entry")

        def names():
            return {t["id"]: t["name"] for t in client.request("threads")["threads"]}

        first = names()
        self.assertEqual([stop["threadId"]], list(first))
        self.assertNotIn("has not begun", first[stop["threadId"]])
        # One that was asked for is there: clients show the thread that a stop is about.
        client.evaluate("item (1,0,0)", None, "repl")
        other = client.stopped("goto")["threadId"]
        self.assertIn("item (1,0,0) group (0,0,0): has not begun", names()[other])
        self.assertEqual(client.request("stackTrace", {"threadId": other})["stackFrames"], [])
        # At a barrier all of them have begun.
        client.request("setBreakpoints", {"source": REDUCE_SOURCE, "breakpoints": [{"line": TOTAL}]})
        client.request("continue", {"threadId": stop["threadId"]})
        client.stopped("breakpoint")
        self.assertEqual(len(names()), 2)

    def test_chooses_who_has_not_begun(self):
        client, _ = self.start({**REDUCE, "stopOnEntry": True})
        client.stopped("entry")
        # A work-group behind the one that runs.
        client.evaluate("group 1", None, "repl")
        other = client.stopped("goto")["threadId"]
        names = {t["id"]: t["name"] for t in client.request("threads")["threads"]}
        self.assertEqual("item (2,0,0) group (1,0,0): has not begun", names[other])
        self.assertEqual(client.request("stackTrace", {"threadId": other})["stackFrames"], [])
        client.request("stepIn", {"threadId": other})
        self.assertEqual(client.stopped("step")["threadId"], other)
        self.assertIn("reduce", client.top(other)["name"])

    def test_reads_and_writes_memory(self):
        client, _ = self.start(REDUCE, [SUM], supportsMemoryEvent=True)
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
        changed = client.event("memory")
        self.assertEqual((changed["memoryReference"], changed["offset"]), (where, 0))
        self.assertGreaterEqual(changed["count"], 16)
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
        by_path = client.request("source", {"sourceReference": 0, "source": REDUCE_SOURCE})["content"]
        self.assertEqual(by_path, content)
        self.refuses("no code", "source", {"sourceReference": 0, "source": {"path": "/other.cl"}})

    def test_gives_what_the_client_knows(self):
        client, _ = self.start(REDUCE, [SUM], supportsVariableType=False, supportsMemoryReferences=False)
        frame = client.top(client.stopped("breakpoint")["threadId"])["id"]
        answers = [client.request("evaluate", {"expression": "summary", "frameId": frame})]
        for scope in client.request("scopes", {"frameId": frame})["scopes"]:
            answers += client.variables(scope["variablesReference"]).values()
        self.assertGreater(len(answers), 10)
        for answer in answers:
            self.assertFalse({"type", "memoryReference"} & set(answer), answer)
        client.request("setVariable", {"variablesReference": client.scope(frame, "Locals"), "name": "sum", "value": "1"})
        client.request("threads")
        self.assertEqual([e for e in client.events if e["event"] in ("invalidated", "memory")], [])

    def test_names_parts_as_one_would_write_them(self):
        client, _ = self.start(REDUCE, [SUM])
        frame = client.top(client.stopped("breakpoint")["threadId"])["id"]
        summary = client.variables(client.scope(frame, "Locals"))["summary"]["variablesReference"]
        tag = client.variables(summary)["tag"]
        self.assertEqual(tag["evaluateName"], "summary.tag")
        self.assertEqual(client.variables(tag["variablesReference"])["[1]"]["evaluateName"], "summary.tag[1]")
        sum_of = client.request("evaluate", {"expression": "&summary", "frameId": frame})["variablesReference"]
        element = client.variables(sum_of)["[0]"]["evaluateName"]
        self.assertEqual(client.evaluate(element + ".tag[2]", frame).split()[0], "3")

    def test_keeps_shadows(self):
        client, _ = self.start({**REDUCE, "shadow": 128}, [SUM])
        frame = client.top(client.stopped("breakpoint")["threadId"])["id"]
        self.assertIn("shadow 1 (128 bits)", client.evaluate("-exec error term", frame, "repl"))
        self.assertIn("shadow", client.evaluate("-exec info shadow", frame, "repl"))

    def test_copies_whole_arrays(self):
        launch = {"module": str(HERE / "arrays.cl"), "global": 1, "args": ["float[5000]=1", "int[1]=7"]}
        client, _ = self.start(launch, [line_of(HERE / "arrays.cl", "table[in[0]]")])
        frame = client.top(client.stopped("breakpoint")["threadId"])["id"]
        self.assertIn("...", client.evaluate("table", frame))
        self.assertIn(str(2999 * 2999), client.evaluate("table", frame, "clipboard"))

    def test_names_no_string_literals_among_globals(self):
        client, _ = self.start({**PRINT, "stopOnEntry": True})
        frame = client.top(client.stopped("entry")["threadId"])["id"]
        self.assertEqual(client.variables(client.scope(frame, "Globals")), {})

    def test_completes(self):
        client, _ = self.start(REDUCE, [SUM])
        frame = client.top(client.stopped("breakpoint")["threadId"])["id"]

        def labels(text, column=None):
            column = len(text) + 1 if column is None else column
            targets = client.request("completions", {"text": text, "column": column, "frameId": frame})["targets"]
            return {t["label"]: t for t in targets}

        self.assertIn("summary", labels("print sum"))
        self.assertEqual((labels("print sum")["summary"]["start"], labels("print sum")["summary"]["length"]), (7, 3))
        self.assertIn("reverse-step", labels("rev"))
        self.assertIn("scratch", labels("scr"))
        self.assertEqual(list(labels("print summary.ra")), ["range"])
        self.assertEqual(list(labels("print $it")), ["item"])
        self.assertEqual(list(labels("print get_global_i")), ["get_global_id"])
        self.assertEqual(list(labels("info all")), ["all-items"])
        self.assertEqual(list(labels("set sto")), ["stop-on-findings"])
        self.assertIn("race-nonatomic", labels("catch race"))
        self.assertEqual(list(labels(f"source {DEBUG}/steps.db")), ["dbg"])
        # Columns count units of UTF-16.
        found = labels("print \u00e9\U0001f600sum", 12)["summary"]
        self.assertEqual((found["start"], found["length"]), (10, 2))
        # Behind the end is the end.
        self.assertEqual(labels("print sum", 10**9), labels("print sum"))
        self.assertEqual(labels("print sum", -5), labels("print sum", 1))

    def test_counts_lines_from_zero_if_asked(self):
        client, answers = self.start(REDUCE, [SUM - 1], linesStartAt1=False, columnsStartAt1=False)
        self.assertEqual(answers[0]["line"], SUM - 1)
        frame = client.top(client.stopped("breakpoint")["threadId"])
        self.assertEqual(frame["line"], SUM - 1)

    def test_a_module_without_lines(self):
        client = self.client
        client.initialize()
        client.launch(**{**REDUCE, "compiler": "clang-22", "buildOptions": "-g0", "stopOnEntry": True})
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
