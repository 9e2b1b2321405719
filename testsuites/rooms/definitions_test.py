#!/usr/bin/env python3
"""No two files of the source tree define a type with the same name in the same namespace.

usage: python3 testsuites/rooms/definitions_test.py [--root FOLDER]

The one-definition rule: two such types in one program are undefined behavior, which no compiler tells as long as no
file includes both.  The linker then takes one of each pair of inline functions, such as vector<Range>'s.
Types in unnamed namespaces, in other types and in functions are not looked at.
"""

import argparse
import collections
import pathlib
import re
import sys
import tempfile

from lengths_test import without_text

FOLDERS = ["base", "numerics", "frontend", "interp", "driver", "oracle", "library", "include", "tools", "python"]
ENDINGS = {".cc", ".h", ".inc"}
NAMESPACE = re.compile(r"(?:inline\s+)?namespace\s*([\w:]*)\s*$")
TYPE = re.compile(r"(?:template\s*<.*>\s*)?(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(?:alignas\s*\([^)]*\)\s*)?(?:\[\[[^\]]*\]\]\s*)?"
                  r"(\w+)\s*(<[^{}]*>)?\s*(?:final\s*)?(?::(?!:)[^{}]*)?$", re.DOTALL)


def types_of(source):
    """(qualified name, line) of each type that is defined at namespace scope, and in no unnamed namespace."""
    clean = without_text(source)
    scopes, begin = [], 0  # of each open brace: the name of its namespace; None: another brace
    for i, c in enumerate(clean):
        if c == "{":
            head = clean[begin:i].strip()
            namespace, defined = NAMESPACE.search(head), TYPE.match(head)
            if defined and None not in scopes:
                yield "::".join([*scopes, defined[1] + (defined[2] or "")]), clean.count("\n", 0, i) + 1
            scopes.append(namespace[1] or None if namespace else None)
        elif c == "}" and scopes:
            scopes.pop()
        if c in "{};":
            begin = i + 1


def check(root):
    places = collections.defaultdict(list)
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in ENDINGS:
                for name, line in types_of(path.read_text()):
                    places[name].append(f"{path.relative_to(root)}:{line}")
    if not places:
        yield f"{root}: no type found"
    for name, found in sorted(places.items()):
        if len(found) > 1:
            yield f"{name} is defined more than once: {', '.join(found)}; give one of them another name"


def mistakes_are_found():
    """Each error that this test is for, made on purpose."""
    cases = [
        ("namespace a::b {\nstruct Range {\n  int low;\n};\n}", "namespace a {\nnamespace b {\nclass Range final : public C {\n};\n}\n}", True),
        ("namespace a {\nenum class Kind : char { kOne };\n}", "namespace a {\nstruct Kind {};\n}", True),
        ("namespace a {\ntemplate <typename T>\nstruct Box {};\n}", "namespace a {\ntemplate <class U> struct Box {};\n}", True),
        ("namespace a {\nstruct Range {};\n}", "namespace b {\nstruct Range {};\n}", False),
        ("namespace a {\nstruct Range {};\n}", "namespace a {\nnamespace {\nstruct Range {};\n}\n}", False),
        ("namespace a {\nstruct Range {};\n}", "namespace a {\nstruct Range;\nstruct Other {\n  struct Range {};\n};\n}", False),
        ("namespace a {\nclass S {\n  struct Impl;\n};\n}", "namespace a {\nstruct S::Impl {};\n}", False),
        ("namespace a {\nstruct Range {};\n}", "namespace a {\nvoid F() {\n  struct Range {};\n}\n}", False),
    ]
    for one, two, wrong in cases:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for room, source in (("base", one), ("oracle", two)):
                (root / room).mkdir()
                (root / room / "file.h").write_text(source)
            if bool(list(check(root))) != wrong:
                yield f"definitions_test.py: {'not found' if wrong else 'accused'}: {one!r} and {two!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    arguments = parser.parse_args()
    errors = [*mistakes_are_found(), *check(arguments.root)]
    print("\n".join(errors) or "no type is defined twice")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
