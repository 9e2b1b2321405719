"""What is out of order, malformed or no message at all; and the extension for VS Code."""

import contextlib
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

from case import ASSAY, HERE, LONG, REDUCE, REDUCE_SOURCE, SUM, Case
from client import Client, Refused


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
            ({"job": "/nonexistent.json"}, ["--job", "/nonexistent.json"]),
            ({**REDUCE, "kernel": "reduec"}, [REDUCE["module"], "-k", "reduec", "-g", "4", "-l", "2"] + [w for a in REDUCE["args"] for w in ("-a", a)]),
            ({**REDUCE, "args": ["float[2]=0"]}, [REDUCE["module"], "-g", "4", "-l", "2", "-a", "float[2]=0"]),
        ):
            run = subprocess.run([ASSAY, "run"] + words, capture_output=True, text=True)
            self.assertNotEqual(run.returncode, 0)
            with self.assertRaises(Refused) as refused:
                client.request("launch", launch)
            self.assertIn(str(refused.exception).strip(), run.stderr + run.stdout)
        client.launch(**REDUCE)
        self.assertEqual(client.finish(), 0)

    def test_launches_that_fail_name_attributes(self):
        client = self.client
        client.initialize()
        whole = {key: value for key, value in REDUCE.items() if key != "global"}
        for launch, words in (
            (whole, "launch: 'global', the index space, is missing"),
            ({"global": 4}, "launch: 'module', the kernel's file, is missing; or name a 'job'"),
            ({"job": "x.json", "module": "x.cl", "kernel": "x"}, "launch: 'job' says what is run; leave out 'module', 'kernel'"),
            ({"job": "x.json", "replay": "x.json"}, "launch: 'job' says what is run; leave out 'replay'"),
            ({"module": 5, "global": 4}, "launch: 'module' must be a string or an array of strings"),
            ({**REDUCE, "module": {}}, "'module' must be a string"),
            ({**REDUCE, "kernel": 5}, "'kernel' must be a string"),
            ({**REDUCE, "kernel": ["reduce"]}, "'kernel' must be a string"),
            ({**REDUCE, "args": [5]}, "'args' must be an array of strings"),
            ({**REDUCE, "buildOptions": True}, "'buildOptions' must be a string"),
            ({**REDUCE, "seed": [[]]}, "'seed' must be a whole number"),
            ({**REDUCE, "seed": "x"}, "'seed' must be a whole number"),
            ({**REDUCE, "timeout": -1}, "'timeout' must be a number that is not negative"),
            ({**REDUCE, "width": 99}, "'width': '99' is no whole number from 1 to 64"),
            ({**REDUCE, "ftz": 1}, "'ftz' must be true or false"),
            ({**REDUCE, "global": "x"}, "'global': 'x' is no size"),
            ({**REDUCE, "global": [True]}, "'global' must be an array of strings or numbers"),
            ({**REDUCE, "detect": "everything"}, "'detect': unknown detector 'everything'"),
            ({**REDUCE, "manySeeds": 3}, "'manySeeds' and 'explore' are for `assay run`"),
            ({**REDUCE, "cwd": "/nonexistent"}, "cwd '/nonexistent'"),
        ):
            with self.subTest(launch=launch):
                self.refuses(words, "launch", launch)
        self.assertEqual(client.finish(), 0)

    def test_tells_attributes_that_mean_nothing(self):
        client = self.client
        client.initialize()
        of_clients = {"type": "assay", "request": "launch", "name": "x", "__sessionId": "x", "preLaunchTask": "x"}
        of_clients.update({"presentation": {}, "internalConsoleOptions": "x", "debugServer": 1, "dap-server-path": ["x"]})
        client.launch(**REDUCE, **of_clients, kernal="reduce", stopOnEntri=True, anything=7)
        told = client.output("console").splitlines()
        self.assertEqual(
            told,
            [
                "The launch attribute 'anything' means nothing here.",
                "The launch attribute 'kernal' means nothing here; did you mean 'kernel'?",
                "The launch attribute 'stopOnEntri' means nothing here; did you mean 'stopOnEntry'?",
            ],
        )
        client.configured()
        client.event("terminated")
        client.request("restart", {"arguments": {**REDUCE, "sead": 5}})
        client.event("terminated")
        self.assertIn("did you mean 'seed'?", client.output("console"))
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
            ("stackTrace", {"threadId": 2**53 + 1}, "53 bits"),
            ("disassemble", {"memoryReference": "0x100001", "instructionOffset": -(2**63), "instructionCount": 1}, "53 bits"),
            ("disassemble", {"memoryReference": "0x100001", "instructionOffset": -(2**53), "instructionCount": 1}, "at most"),
            ("dataBreakpointInfo", {"name": "k", "bytes": -1}, "negative"),
            ("dataBreakpointInfo", {"name": "k", "asAddress": True}, "no address"),
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
                if request == 0:
                    # No client looks at a response to nothing.
                    self.assertIn(response["message"], client.event("output")["output"])
        client.initialize()
        self.assertEqual(client.finish(), 0)
        self.assertEqual(client.stderr.count(b"assay dap: "), 7)

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
                # It may have ended before all of it is written.
                with contextlib.suppress(BrokenPipeError):
                    client.raw(data)
                self.assertEqual(client.wait(), 2)
                self.assertIn(b"assay dap: ", client.stderr)
                with contextlib.suppress(BrokenPipeError):
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
            for ends in ("disconnect", "terminate", "input", "kill", "signal"):
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
                    elif ends == "signal":
                        client.process.terminate()
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
            "supportsClipboardContext",
            "supportsDataBreakpointBytes",
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
        compiler = "clang-15" if shutil.which("llvm-spirv-15") else "clang-22"
        launch.update(REDUCE, kernel="reduce", offset="0", buildOptions="", compiler=compiler, choices="", detect="all")
        launch.update(ignore=["race-nonatomic@x.cl=why"], allow="same-value-race", rounding="rte", maxMemory="1G", specConstants={})
        launch.update(maxInstructions=0, shadow=64, forwardProgress="work-item")
        client.launch(**launch)
        self.assertEqual(client.output("console"), "")
