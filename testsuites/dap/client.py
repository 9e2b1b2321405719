"""A client of the Debug Adapter Protocol that shares no code with the adapter."""

import json
import os
import queue
import subprocess
import threading


class Refused(Exception):
    """A response without success."""


class Client:
    """Starts an adapter and talks to it over its standard input and output."""

    RECORD = os.environ.get("ASSAY_DAP_MESSAGES", "")  # a file that gets every message
    RECORDING = threading.Lock()
    TIMEOUT = int(os.environ.get("ASSAY_DAP_TIMEOUT", "120"))  # seconds; only a hang comes near

    def __init__(self, program, cwd=None):
        self.process = subprocess.Popen(
            [program, "dap"], cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.seq = 0
        self.messages = queue.Queue()
        self.events = []
        self.responses = {}
        self.stderr = b""
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.stderr_reader = threading.Thread(target=self._read_stderr, daemon=True)
        self.stderr_reader.start()

    def _read_stderr(self):
        self.stderr = self.process.stderr.read()

    def _read(self):
        stream = self.process.stdout
        expected = 1
        while True:
            length = None
            while True:
                line = stream.readline()
                if not line:
                    self.messages.put(None)
                    return
                if line == b"\r\n":
                    break
                name, value = line.decode("ascii").split(":")
                if name == "Content-Length":
                    length = int(value)
            message = json.loads(stream.read(length))
            assert message["seq"] == expected, message
            if self.RECORD:
                with self.RECORDING, open(self.RECORD, "a") as record:
                    record.write(json.dumps(message) + "\n")
            expected += 1
            self.messages.put(message)

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, command, arguments=None):
        """Sends a request and returns its number."""
        self.seq += 1
        message = {"seq": self.seq, "type": "request", "command": command}
        if arguments is not None:
            message["arguments"] = arguments
        body = json.dumps(message).encode()
        self.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return self.seq

    def pump(self, timeout=None):
        """Takes one message; False at the end."""
        message = self.messages.get(timeout=self.TIMEOUT if timeout is None else timeout)
        if message is None:
            self.messages.put(None)
            return False
        if message["type"] == "event":
            self.events.append(message)
        else:
            self.responses[message["request_seq"]] = message
        return True

    def response(self, seq):
        while seq not in self.responses:
            if not self.pump():
                raise EOFError("the adapter has gone before it answered")
        return self.responses.pop(seq)

    def request(self, command, arguments=None):
        """The body of the response; Refused with its message where it has no success."""
        response = self.response(self.send(command, arguments))
        assert response["command"] == command, response
        if not response["success"]:
            raise Refused(response["message"])
        return response.get("body", {})

    def event(self, name):
        """The body of the next event with that name; those before it are dropped, but for output."""
        while True:
            for i, event in enumerate(self.events):
                if event["event"] == name:
                    self.events = [e for e in self.events[:i] if e["event"] == "output"] + self.events[i + 1 :]
                    return event.get("body", {})
            if not self.pump():
                raise EOFError(f"the adapter has gone before the event '{name}'")

    def output(self, category):
        return "".join(
            e["body"]["output"] for e in self.events if e["event"] == "output" and e["body"]["category"] == category
        )

    def initialize(self, **more):
        known = {"supportsVariableType": True, "supportsMemoryReferences": True}
        return self.request("initialize", {"adapterID": "assay", "clientID": "test", **known, **more})

    def launch(self, **arguments):
        self.request("launch", arguments)
        self.event("initialized")

    def configured(self):
        self.request("configurationDone")

    def stopped(self, reason=None):
        body = self.event("stopped")
        assert reason is None or body["reason"] == reason, body
        return body

    def top(self, thread):
        return self.request("stackTrace", {"threadId": thread})["stackFrames"][0]

    def scope(self, frame, name):
        for scope in self.request("scopes", {"frameId": frame})["scopes"]:
            if scope["name"] == name:
                return scope["variablesReference"]
        raise KeyError(name)

    def variables(self, reference, **more):
        return {v["name"]: v for v in self.request("variables", {"variablesReference": reference, **more})["variables"]}

    def evaluate(self, expression, frame=None, context="watch", **more):
        arguments = {"expression": expression, "context": context, **more}
        if frame is not None:
            arguments["frameId"] = frame
        return self.request("evaluate", arguments)["result"]

    def finish(self):
        """Disconnects; returns the exit code."""
        try:
            self.request("disconnect", {})
        finally:
            self.process.stdin.close()
        return self.wait()

    def close(self):
        """Ends the adapter, whatever it does."""
        self.process.kill()
        self.process.wait()
        self.stderr_reader.join(timeout=self.TIMEOUT)
        self.reader.join(timeout=self.TIMEOUT)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def wait(self):
        while self.pump():
            pass
        code = self.process.wait(timeout=self.TIMEOUT)
        self.stderr_reader.join(timeout=self.TIMEOUT)
        return code
