#!/usr/bin/env python3
"""The extension of tools/dap/vscode in a real VS Code, as it runs in a browser.

    in_vscode.py --assay PROGRAM --folder FOLDER [unittest's arguments]

VS Code comes from npm, inside of code-server, whose own server is not used. Screenshots stay in FOLDER. Exit code
77 where there is no browser, no node, or where the package registry cannot be reached.
"""

import argparse
import base64
import hashlib
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import unittest
from pathlib import Path

from npm_packages import HERE, need_node, npm, skip

sys.path.insert(0, str(HERE.parent / "report"))
try:
    from browser import Browser
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys
except ImportError as missing:
    skip(f"{missing}; ./dev setup installs chromium-driver and python3-selenium")

VERSION = "4.100.3"  # of code-server; VS Code in it is 1.100.3
SHA512 = "q/Fh2DOxCRNhC/WiG/6sAhSKnj7ZACTVBaeeZ+rWjol//0FCbl/qg1ln5ecZ99jYcfqMxZZAyWcN+YBIo0DgpA=="
EXTENSION = HERE.parents[1] / "tools" / "dap" / "vscode"
KERNELS = [HERE.parent / "debug" / "reduce.cl", HERE / "race.cl", HERE / "long.cl"]
BROKEN = "kernel void broken(global int* x) {\n  x[0] = undeclared;\n}\n"
TOOLBAR = ".debug-toolbar .action-label:not(.disabled).codicon-debug-"
PATIENCE = 90  # seconds; only a hang comes near

SETTINGS = {
    "telemetry.telemetryLevel": "off",
    "workbench.startupEditor": "none",
    "extensions.autoCheckUpdates": False,
    "window.dialogStyle": "custom",
}
LAUNCH = [
    {
        "name": "reduce",
        "module": "${workspaceFolder}/reduce.cl",
        "global": 4,
        "local": 2,
        "args": ["float[2]=0", "float[4]=range(1,1)", "local(8)", "float=0.5"],
        "stopOnEntry": True,
    },
    {"name": "race", "module": "race.cl", "cwd": "${workspaceFolder}", "global": 4, "local": 4, "args": ["int[4]=0"]},
    {"name": "spin", "module": "${workspaceFolder}/long.cl", "global": 1, "args": ["uint[1]=0", "uint=4000000000"]},
    {"name": "broken", "module": "${workspaceFolder}/broken.cl", "global": 1, "args": ["int[1]=0"]},
]


def install(folder):
    """VS Code's server, without what would have to be compiled: it does without."""
    need_node()
    code = folder / f"vscode-{VERSION}"
    if code.is_dir():
        return code
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    npm(["pack", "--silent", f"code-server@{VERSION}"], folder)
    archive = folder / f"code-server-{VERSION}.tgz"
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    assert digest == SHA512, f"code-server {VERSION} has another checksum: {digest}"
    inside = "package/lib/vscode/"
    with tarfile.open(archive) as packed:
        packed.extractall(folder, [one for one in packed.getmembers() if one.name.startswith(inside)])
    archive.unlink()
    unpacked = folder / inside
    npm(["install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"], unpacked)
    unpacked.rename(code)
    return code


class Server:
    def __init__(self, code, folder, assay):
        for name in ("data", "extensions", "workspace"):
            shutil.rmtree(folder / name, ignore_errors=True)
        settings = folder / "data" / "data" / "Machine" / "settings.json"
        settings.parent.mkdir(parents=True)
        settings.write_text(json.dumps({**SETTINGS, "assay.path": str(assay)}))
        (folder / "extensions").mkdir()
        (folder / "extensions" / "assay-debug").symlink_to(EXTENSION)
        self.workspace = folder / "workspace"
        (self.workspace / ".vscode").mkdir(parents=True)
        for kernel in KERNELS:
            shutil.copy(kernel, self.workspace)
        (self.workspace / "broken.cl").write_text(BROKEN)
        launch = {"version": "0.2.0", "configurations": [{"type": "assay", "request": "launch", **one} for one in LAUNCH]}
        (self.workspace / ".vscode" / "launch.json").write_text(json.dumps(launch))
        words = ["node", "out/server-main.js", "--host=127.0.0.1", "--port=0", "--without-connection-token"]
        words += ["--accept-server-license-terms", "--disable-workspace-trust"]
        words += [f"--server-data-dir={folder / 'data'}", f"--extensions-dir={folder / 'extensions'}"]
        # Node.js 18, which is Debian's, has to be asked for what later ones have.
        flag = "--experimental-global-webcrypto"
        environment = {**os.environ, "NODE_OPTIONS": flag if node_version() < 20 else ""}
        self.log = folder / "server.log"
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                words, cwd=code, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    def address(self):
        mark = "Extension host agent listening on "
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            for line in self.log.read_text().splitlines():
                if line.startswith(mark):
                    return f"http://127.0.0.1:{line[len(mark):]}/?folder={self.workspace}"
            time.sleep(0.1)
        raise AssertionError(f"VS Code's server did not start; see {self.log}")

    def close(self):
        """With the processes of the extensions."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def node_version():
    said = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout
    return int(said.strip().lstrip("v").split(".")[0])


class VisualStudioCode(unittest.TestCase):
    options = None

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.options.folder.resolve()
        cls.server = Server(install(cls.folder), cls.folder, Path(cls.options.assay).resolve())
        cls.addClassCleanup(cls.server.close)
        cls.browser = Browser(1600, 1000)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.driver.get(self.server.address())

    def tearDown(self):
        self.browser.driver.save_screenshot(str(self.folder / f"{self.id().split('.')[-1]}.png"))

    # --- what a person does and sees

    def keys(self, *keys):
        ActionChains(self.browser.driver).send_keys(*keys).perform()

    def texts(self, selector):
        return self.browser.run("return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector)

    def rows(self, view):
        return self.texts(f".debug-{view} .monaco-list-row")

    def wait(self, condition, patience=PATIENCE):
        """Waits for it; returns what it gave."""
        end = time.monotonic() + patience
        found = condition()
        while not found and time.monotonic() < end:
            time.sleep(0.1)
            found = condition()
        return found

    def until(self, condition, what):
        found = self.wait(condition)
        if found:
            return found
        self.fail(f"{what}; shown: {self.rows('call-stack')} {self.texts('.monaco-dialog-box')}")

    def clicked(self, selector, text=""):
        """Was it there? VS Code makes its elements anew whenever something changes, so one that was found may be
        gone a moment later: it is found and clicked in one step."""
        click = (
            "const e = [...document.querySelectorAll(arguments[0])].find((one) => one.textContent.includes(arguments[1]));"
            "e && e.click(); return !!e"
        )
        return self.browser.run(click, selector, text)

    def toolbar(self, action):
        button = TOOLBAR + action
        self.until(lambda: self.clicked(button), f"there is no {button}")

    def open(self, name):
        def opened():
            """A row may come before the explorer listens."""
            self.clicked(".explorer-folders-view .monaco-list-row", name)
            return self.wait(lambda: any(name in tab for tab in self.texts(".tab.active")), 10)

        self.until(opened, f"the explorer does not open {name}")
        # The extension says what language that is.
        self.until(lambda: "OpenCL C" in self.texts(".statusbar-item-label"), "VS Code does not know the extension")
        self.until(lambda: self.texts(".view-line .mtk1"), "the editor shows nothing")

    def pick(self, opens, text, name):
        """Types into the palette and takes what it offers; the first keys may come before it listens."""

        def offered():
            rows = self.texts(".quick-input-list .monaco-list-row.focused")
            return any(name in row for row in rows)

        for _ in range(6):
            self.keys(Keys.ESCAPE, opens)
            if not self.wait(lambda: self.browser.run("return !!document.activeElement.closest('.quick-input-widget')"), 5):
                continue
            self.keys(text)
            if self.wait(offered, 10):
                return self.keys(Keys.ENTER)
        return self.fail(f"the palette does not offer {name}")

    def command(self, name):
        self.pick(Keys.F1, name, name)

    def start(self, name):
        self.pick(Keys.F1, Keys.BACKSPACE + "debug " + name, name)

    def stop(self):
        """Why it stands: where there is one thread the view's title says it, and else the thread's row."""
        return "".join(self.texts(".call-stack-state-message") + self.rows("call-stack"))

    def at(self, line):
        self.until(lambda: any(f"reduce.cl{line}:" in row for row in self.rows("call-stack")), f"not at line {line}")

    def ask(self, text):
        """What the debug console answers."""
        self.command("Debug Console: Focus on Debug Console View")
        before = len(self.texts(".repl .monaco-list-row"))
        self.until(lambda: self.browser.all(".repl-input-wrapper .focused"), "no debug console")
        # Without what is suggested while one types.
        self.keys(text, Keys.ESCAPE, Keys.ENTER)
        return self.until(lambda: self.texts(".repl .monaco-list-row")[before + 1 :], f"no answer to {text}")[0]

    # --- tests

    def test_breaks_inspects_and_steps_back(self):
        self.open("reduce.cl")
        # Another colour than that of plain text: the grammar is there.
        self.until(lambda: {"kernel", "local"} <= set(map(str.strip, self.texts(".view-line span span:not(.mtk1)"))), "no colours")
        self.start("reduce")
        self.at(24)
        self.until(lambda: "The kernel's entry" in self.stop(), "not at the entry")
        self.until(lambda: any(row.startswith("scale =0.5") for row in self.rows("variables")), "no variables")
        self.assertIn("Findings", "".join(self.rows("breakpoints")))
        for line in range(25, 31):
            self.keys(Keys.F10)
            self.at(line)
        self.keys(Keys.F9)
        self.until(lambda: self.browser.all(".codicon-debug-breakpoint"), "the breakpoint is not verified")
        self.toolbar("step-back")
        self.at(29)
        self.assertEqual(self.ask("sum = 4"), "4 (0x40800000, exact)")
        self.assertIn("tag = {1, 2, 3}", self.ask("summary"))
        self.assertIn("scale = 0.5", self.ask("info args"))
        self.keys(Keys.F5)
        self.at(30)
        self.command("Open Disassembly View")
        current = ".disassembly-view .monaco-list-row:has(.codicon-debug-stackframe)"
        row = self.until(lambda: self.texts(current), "no instruction is marked")[0]
        self.assertRegex(row, r"0x100\w+\s+(%\d+ = )?Op(?!Function )")
        self.toolbar("reverse-continue")
        self.until(lambda: "The beginning of the run" in self.stop(), "not at the beginning")
        self.toolbar("restart")
        self.at(24)
        self.toolbar("stop")
        self.until(lambda: not self.rows("call-stack"), "it does not end")

    def test_shows_a_race_as_an_exception(self):
        self.open("race.cl")
        self.start("race")
        shown = self.until(lambda: self.texts(".exception-widget"), "no exception is shown")[0]
        self.assertIn("race-nonatomic", shown)
        self.assertIn("data race on local memory 'race.counter'", shown)
        self.assertGreater(sum(row.startswith("item (") for row in self.rows("call-stack")), 1)
        self.until(lambda: any(row.startswith("out =") for row in self.rows("variables")), "no variables")

    def test_pauses_what_nothing_stops(self):
        def paused():
            """A pause before the kernel runs is refused."""
            self.clicked(TOOLBAR + "pause")
            return self.wait(lambda: any(row.startswith("spin") for row in self.rows("call-stack")), 10)

        def pauses():
            self.until(paused, "it is not paused")

        self.open("long.cl")
        self.start("spin")
        pauses()
        self.toolbar("restart")
        # What was shown of the stop is gone, and it can be paused again.
        self.until(lambda: not any(row.startswith("spin") for row in self.rows("call-stack")), "it is not restarted")
        pauses()
        self.toolbar("stop")
        self.until(lambda: not self.rows("call-stack"), "it does not end")

    def test_says_why_a_launch_fails(self):
        self.open("broken.cl")
        self.start("broken")
        said = self.until(lambda: self.texts(".monaco-dialog-box"), "nothing is said")[0]
        self.assertIn("use of undeclared identifier 'undeclared'", said)
        self.keys(Keys.ESCAPE)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--assay", required=True)
    parser.add_argument("--folder", required=True, type=Path)
    VisualStudioCode.options, rest = parser.parse_known_args()
    if platform.machine() != "x86_64":
        skip("tried on x86_64 only")
    unittest.main(argv=[sys.argv[0], *rest])
