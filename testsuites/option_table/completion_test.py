#!/usr/bin/env python3
"""Completion of bash, zsh and fish offers what the option table has: commands, options and values.

usage: completion_test.py --assay PROGRAM --share FOLDER

bash is asked as its line editor asks it; zsh is asked what it gives to _arguments, and completes at a
terminal; fish says what it would complete.  zsh and fish are skipped where they are not installed.
"""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest

import case

# As bash takes a line apart: COMP_WORDBREAKS without blanks; @ stays with the word that is completed.
BREAKS = re.compile(r"([\"'@><=;|&(:]+)")
ASK = """
ask() {
  COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=("${@:3}") COMP_CWORD=$(($# - 3)) COMPREPLY=()
  _assay assay "$2" 2>&1
  printf '%s\\n' "${COMPREPLY[@]}" $'\\x01'
}
"""


def completed(line):
    """What bash replaces."""
    return re.search(r"@?[^\s\"'@><=;|&(:]*$", line)[0]


def bash_words(line):
    words = []
    for word in line.split(" "):
        words += [part for part in BREAKS.split(word) if part] or [""]
    return words


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


class BashTest(unittest.TestCase):
    file = "bash-completion/completions/assay"

    def setUp(self):
        self.table = case.table_of(options.assay)
        self.script = options.share / self.file

    def ask(self, lines, folder=None):
        """What is offered for each line, with the cursor at its end."""
        asked = [" ".join(map(quoted, ["ask", line, completed(line), *bash_words(line)])) for line in lines]
        text = f"source {quoted(str(self.script))}\n{ASK}\n" + "\n".join(asked)
        text = text.replace("'ask' ", "ask ")
        done = subprocess.run(["bash", "--norc"], input=text, capture_output=True, text=True,
                              check=True, cwd=folder)
        self.assertEqual(done.stderr, "")
        answers = done.stdout.split("\x01\n")[:-1]
        self.assertEqual(len(answers), len(lines))
        return [sorted(filter(None, answer.split("\n"))) for answer in answers]

    def test_is_a_script(self):
        subprocess.run(["bash", "-n", self.script], check=True)

    def test_commands(self):
        lines = ["assay ", "assay golden ", "assay va", "assay golden ma", "assay help va", "assay x "]
        commands = sorted(self.table[""]["commands"])
        self.assertEqual(self.ask(lines)[:5], [commands, ["make", "search", "verify"], ["validate"],
                                               ["make"], ["validate"]])

    def test_options(self):
        lines = [f"assay {path}{' ' if path else ''}-" for path in self.table]
        for answer, path in zip(self.ask(lines), self.table):
            self.assertEqual(answer, case.names_of(self.table[path]), path)

    def test_values(self):
        lines, wanted = [], []
        for path, command in self.table.items():
            for option in case.options_of(command):
                for name in option["names"]:
                    words = case.words_of(option)
                    if words:
                        lines.append(f"assay {path} {name} ")
                        wanted.append(sorted(words))
                    if words and name.startswith("--"):
                        lines.append(f"assay {path} {name}={words[-1][:2]}")
                        wanted.append(sorted(word for word in words
                                             if word.startswith(words[-1][:2])))
        for line, answer, words in zip(lines, self.ask(lines), wanted):
            self.assertEqual(answer, words, line)
        self.assertGreater(len(lines), 40)

    def test_operands_and_lists(self):
        rules = case.words_of(case.operands_of(self.table["explain"])[0])
        lines = ["assay explain ", "assay explain race-non", "assay eval si", "assay eval sin ",
                 "assay validate --formats half,d", "assay validate --functions sin,@un",
                 "assay run --detect races,gr", "assay validate --seed ",
                 "assay validate --level smoke --profile e"]
        answers = self.ask(lines)
        self.assertEqual(answers[0], sorted(rules))
        self.assertEqual(answers[1], ["race-nonatomic"])
        self.assertIn("sin", answers[2])
        self.assertEqual(answers[4:], [["half,double"], ["@unary"], ["races,groups"], [],
                                       ["embedded"]])

    def test_files_and_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("k.cl", "two words.cl", "job.json"):
                (pathlib.Path(folder) / name).touch()
            answers = self.ask(["assay run --job ", "assay run k", "assay exec --json x -- bas",
                                "assay exec bash k", "assay exec --json j", "assay devices --json "],
                               folder)
        everything = ["job.json", "k.cl", "two words.cl"]
        self.assertEqual(answers[0], everything)
        self.assertEqual(answers[1], ["k.cl"])
        self.assertIn("bash", answers[2])
        self.assertEqual(answers[3:], [["k.cl"], ["job.json"], everything])

    def test_at_a_terminal(self):
        with Terminal(["bash", "--norc", "--noprofile", "-i"]) as terminal:
            terminal.type(f"source {quoted(str(self.script))}; PS1=R''EADY\n")
            terminal.wait("READY")
            for typed, shown in (("assay val\t--lev\tsm\t", "assay validate --level smoke "),
                                 ("assay validate --level=sm\t", "--level=smoke"),
                                 ("assay list @una\t", "assay list @unary"),
                                 ("assay validate --functions sin,@una\t", "sin,@unary")):
                terminal.type(typed)
                terminal.wait(shown)
                terminal.type("\x15")


class Terminal:
    """A shell at a terminal.  Nothing here depends on times, but for giving up."""

    def __init__(self, command):
        self.command = command

    def __enter__(self):
        self.process, self.seen = None, ""
        master, slave = pty.openpty()
        self.master = master
        environment = {**os.environ, "TERM": "dumb", "LC_ALL": "C.UTF-8", "INPUTRC": "/dev/null"}
        self.process = subprocess.Popen(self.command, stdin=slave, stdout=slave, stderr=slave,
                                        env=environment, start_new_session=True)
        os.close(slave)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.master)

    def type(self, text):
        self.seen = ""
        os.write(self.master, text.encode())

    def wait(self, text):
        end = time.monotonic() + 60
        while text not in self.seen:
            ready, _, _ = select.select([self.master], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"{text!r} was not shown, but {self.seen!r}")
            self.seen += os.read(self.master, 4096).decode(errors="replace")


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class ZshTest(unittest.TestCase):
    file = "zsh/site-functions/_assay"

    def setUp(self):
        self.table = case.table_of(options.assay)
        self.script = options.share / self.file

    def specifications(self):
        """What each command's function gives to _arguments."""
        functions = {path: "_".join(["_assay", *path.replace("-", "_").split()])
                     for path in self.table}
        text = ("_arguments() { print -rl -- \"$@\" $'\\x01' }\n"
                f"source {quoted(str(self.script))} >/dev/null\n" + "\n".join(functions.values()))
        done = subprocess.run(["zsh", "-f"], input=text, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return dict(zip(functions, done.stdout.split("\x01\n")))

    def test_is_a_script(self):
        subprocess.run(["zsh", "-n", self.script], check=True)

    def test_options_and_values(self):
        for path, text in self.specifications().items():
            lines = text.splitlines()
            found = sorted(match[1] for line in lines
                           if (match := re.match(r"(?:\*|\([^)]*\))?(-[\w-]+)=?\[", line)))
            self.assertEqual(found, case.names_of(self.table[path]), path)
            for option in case.options_of(self.table[path]):
                for name in option["names"]:
                    [line] = [line for line in lines
                              if re.match(rf"(?:\*|\([^)]*\))?{name}=?\[", line)]
                    words = case.words_of(option)
                    action = line.rsplit(":", 1)[-1] if not words else line
                    self.assertTrue(not words or line.endswith(" ".join(words)) or
                                    line.endswith(f"({' '.join(words)})"), (name, action))

    def test_at_a_terminal(self):
        with Terminal(["zsh", "-f", "-i"]) as terminal:
            terminal.type("PS1=; unsetopt zle_bracketed_paste; autoload -U compinit; "
                          f"fpath=({quoted(str(self.script.parent))} $fpath); compinit -D -u; "
                          "print R''EADY\n")
            terminal.wait("READY")
            for typed, shown in (("assay val\t--lev\tsm\t", "smoke"),
                                 ("assay golden ver\t--prof\temb\t", "embedded"),
                                 ("assay explain race-nona\t", "race-nonatomic"),
                                 ("assay validate --formats half,dou\t", "double")):
                terminal.type(typed)
                terminal.wait(shown)
                terminal.type("\x15\n")


@unittest.skipUnless(shutil.which("fish"), "fish is not installed")
class FishTest(unittest.TestCase):
    file = "fish/vendor_completions.d/assay.fish"

    def setUp(self):
        self.table = case.table_of(options.assay)
        self.script = options.share / self.file

    def ask(self, lines):
        text = f"source {quoted(str(self.script))}\n" + "\n".join(
            f"complete -C {quoted(line)}; printf '\\x01\\n'" for line in lines)
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(["fish", "--no-config"], input=text, capture_output=True,
                                  text=True, check=True, cwd=home,
                                  env={**os.environ, "HOME": home, "XDG_CONFIG_HOME": home})
        self.assertEqual(done.stderr, "")
        answers = done.stdout.split("\x01\n")[:-1]
        self.assertEqual(len(answers), len(lines))
        return [sorted(line.split("\t")[0] for line in answer.splitlines()) for answer in answers]

    def test_is_a_script(self):
        subprocess.run(["fish", "-n", self.script], check=True)

    def test_commands(self):
        answers = self.ask(["assay ", "assay golden ", "assay va"])
        self.assertEqual(answers, [sorted(self.table[""]["commands"]),
                                   ["make", "search", "verify"], ["validate"]])

    def test_options(self):
        lines = [f"assay {path} --" if path else "assay --" for path in self.table]
        for answer, path in zip(self.ask(lines), self.table):
            long_names = [name for name in case.names_of(self.table[path]) if name[1] == "-"]
            self.assertEqual([name.rstrip("=") for name in answer], long_names, path)

    def test_values(self):
        lines, wanted = ["assay validate --functions sin,@una", "assay explain race-nona"], []
        wanted = [["sin,@unary"], ["race-nonatomic"]]
        for path, command in self.table.items():
            for option in case.options_of(command):
                if option.get("values"):
                    lines.append(f"assay {path} {option['names'][-1]} ")
                    wanted.append(sorted(option["values"]))
        for line, answer, words in zip(lines, self.ask(lines), wanted):
            self.assertEqual(answer, words, line)


if __name__ == "__main__":
    options = case.arguments_of(__doc__)
    unittest.main(argv=["completion_test.py"])
