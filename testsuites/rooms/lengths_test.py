#!/usr/bin/env python3
"""No function has more than 80 lines and no file more than 500, but for the tables of lengths.tsv.

usage: python3 testsuites/rooms/lengths_test.py [--root FOLDER]

A function is counted from its first line to the brace that ends it, as a reader sees it.  clang-tidy's
readability-function-size counts as well (./dev tidy); this needs no compiler and takes a second.
"""

import argparse
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MOST_LINES_OF_FILE = 500
MOST_LINES_OF_FUNCTION = 80
FOLDERS = ["base", "cmake", "numerics", "frontend", "interp", "driver", "oracle", "library", "include", "examples", "tools", "python",
           "testsuites"]
CPP = {".cc", ".h", ".inc", ".c"}
SCRIPTS = {".py", ".js", ".sh"}

# What may hold braces that are none of the code's.
TEXT = re.compile(
    r"""//[^\n]*                                   # comments
      | /\*.*?\*/
      | R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"   # texts
      | "(?:\\.|[^"\\\n])*"
      | '(?:\\.|[^'\\\n])+'(?!\w)              # and no digit separators: 1'000'000
      | ^[ \t]*\#(?:[^\n\\]|\\\n|\\.)*         # directives, with the lines that they continue on
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)


def without_text(source):
    """The source with comments, texts and directives blanked out, and every line where it was."""
    source = re.sub(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])", " ", source)
    return TEXT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)


def opens_scope(head):
    """Does this begin what functions stand in: a namespace or a type?"""
    return re.match(r"(inline\s+)?(namespace|extern)\b", head) or re.search(r"\b(class|struct|union|enum)\b[^()=]*$", head)


def name_of(head):
    """What stands before the first parenthesis that is no template's, macro's or attribute's: Worker::Run."""
    found = re.search(r"((?:[\w~]+(?:<[^<>()]*>)?::)*(?:operator\s*\S+?|[\w~]+))\s*\(", head)
    name = found[1] if found else head.split("(")[0]
    test = re.match(r"(TEST(?:_F|_P)?)\s*\(\s*(\w+)\s*,\s*(\w+)", head)
    return f"{test[2]}.{test[3]}" if test else name


def functions(source):
    """(first line, number of lines, name) of each function that is defined at namespace or class scope."""
    clean = without_text(source)
    scopes = []  # (is it a namespace or type?, first line, name of the function or None)
    line, begin = 1, 0
    for i, c in enumerate(clean):
        if c == "\n":
            line += 1
        elif c == "{":
            head = clean[begin:i]
            first = line - head.lstrip().count("\n")
            head = " ".join(head.split())
            is_scope = bool(opens_scope(head))
            is_function = not is_scope and all(scope[0] for scope in scopes) and ")" in head and not head.endswith("=")
            scopes.append((is_scope, first, name_of(head) if is_function else None))
            begin = i + 1
        elif c == "}":
            _, first, name = scopes.pop() if scopes else (True, 0, None)
            if name:
                yield first, line - first + 1, name
            begin = i + 1
        elif c == ";":
            begin = i + 1


def read_exceptions(path):
    rows = [line.split("\t") for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return {(row[0], row[1]): row[2:] for row in rows}


def check(root, exceptions):
    needed = set()

    def excepted(path, name):
        needed.add((path, name))
        return (path, name) in exceptions

    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in CPP | SCRIPTS or not file.is_file():
                continue
            path, text = file.relative_to(root).as_posix(), file.read_text(errors="replace")
            lines = text.count("\n")
            if lines > MOST_LINES_OF_FILE and not excepted(path, "-"):
                yield f"{path} has {lines} lines, and a file has at most {MOST_LINES_OF_FILE}: divide it by what it is about"
            for first, lines, name in functions(text) if file.suffix in CPP else ():
                if lines > MOST_LINES_OF_FUNCTION and not excepted(path, name):
                    yield (f"{path}:{first}: {name} has {lines} lines, and a function has at most "
                           f"{MOST_LINES_OF_FUNCTION}: give its steps functions with names")
    for (path, name), why in sorted(exceptions.items()):
        if (path, name) not in needed:
            yield f"lengths.tsv: {path} needs no exception for {'its length' if name == '-' else name}; take the line out"
        if not why or not why[0].strip():
            yield f"lengths.tsv: {path}: say why it is as long"


# --- the test of the test: a small tree, and one mistake at a time --------------------------------


def body(lines, head="int F(int x) {", indent=""):
    return f"{indent}{head}\n" + f"{indent}  x += 1;\n" * (lines - 2) + f"{indent}}}\n"


LONG = "// line\n" * (MOST_LINES_OF_FILE + 1)
TABLE = "const int kTable[] = {\n" + "    1,\n" * 100 + "};\n"
INITIALIZER = "const Row kRows[] = {\n" + "    {.f = [](int x) { return x; }},\n" * 100 + "};\n"
# Nothing of this is too long, and all of it would be if braces in texts, comments and directives counted.
GOOD = {
    "base/a.cc": "namespace a {\n" + body(80) + "}  // namespace a\n",
    "base/b.h": "class B {\n" + body(80, indent="  ") * 3 + "};\n",
    "base/table.cc": TABLE + INITIALIZER,
    "base/texts.cc": 'char F() { return \'{\'; }\nauto text = R"({{{)";\nauto more = "{\\"{";  // {\n'
                     "#define OPEN {  \\\n  {\nint n = 1'000'000; /* { */\n" + body(40) * 3,
    "base/edge.cc": "// line\n" * MOST_LINES_OF_FILE,
    "testsuites/x.py": "x = 1\n" * 100,
}
MISTAKES = [
    ("a long file", {"base/x.cc": LONG}, {}, "base/x.cc has 501 lines"),
    ("a long header", {"interp/deep/x.h": LONG}, {}, "interp/deep/x.h has 501 lines"),
    ("a long script", {"testsuites/deep/x.py": "x = 1\n" * 501}, {}, "testsuites/deep/x.py has 501 lines"),
    ("a long function", {"base/x.cc": "\n\n" + body(81)}, {}, "base/x.cc:3: F has 81 lines"),
    ("a long function after texts with braces", {"base/x.cc": GOOD["base/texts.cc"] + body(81)}, {}, "F has 81 lines"),
    ("one in two namespaces", {"base/x.cc": "namespace a {\nnamespace {\n" + body(81) + "}\n}\n"}, {}, "base/x.cc:3: F has 81 lines"),
    ("a member in its class", {"base/x.h": "class X : public Y {\n" + body(81, indent="  ") + "};\n"}, {}, "base/x.h:2: F has 81 lines"),
    ("a member outside", {"base/x.cc": body(81, "template <typename T>\nbool X<T>::Run(int x) const {")}, {}, "base/x.cc:1: X<T>::Run has 82"),
    ("a constructor", {"base/x.cc": body(81, "X::X(int x) : x_(x), y_(F(x)) {")}, {}, "X::X has 81 lines"),
    ("a test", {"base/x.cc": body(81, "TEST_F(SomeTest, SaysSo) {")}, {}, "SomeTest.SaysSo has 81 lines"),
    ("an exception that is not needed", {}, {("base/a.cc", "F"): ["a table"]}, "base/a.cc needs no exception for F"),
    ("one of a file that is not needed", {}, {("base/a.cc", "-"): ["a table"]}, "base/a.cc needs no exception for its length"),
    ("one of a file that is gone", {}, {("base/gone.cc", "-"): ["a table"]}, "base/gone.cc needs no exception"),
    ("an exception without a reason", {"base/x.cc": LONG}, {("base/x.cc", "-"): [" "]}, "base/x.cc: say why"),
    ("one for another function", {"base/x.cc": body(81)}, {("base/x.cc", "G"): ["a table"]}, "F has 81 lines"),
]


def check_self():
    excepted = ("what is excepted", {"base/x.cc": LONG + body(81)}, {("base/x.cc", "-"): ["a table"], ("base/x.cc", "F"): ["one"]}, None)
    for name, more, exceptions, expected in [("nothing", {}, {}, None), excepted, *MISTAKES]:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {**GOOD, **more}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            problems = list(check(root, exceptions))
            if expected is None and problems:
                yield f"{name}: of a tree without mistakes this is said: {problems}"
            if expected is not None and not (len(problems) in (1, 2) and any(expected in problem for problem in problems)):
                yield f"{name} was not found; said was: {problems}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=HERE.parents[1])
    arguments = parser.parse_args()
    problems = [*check_self(), *check(arguments.root, read_exceptions(HERE / "lengths.tsv"))]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
