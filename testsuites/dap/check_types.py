#!/usr/bin/env python3
"""Checks every message that dap_test.py recorded against the protocol's own types.

    dap_test.py --assay build/release/bin/assay --messages messages.jsonl
    check_types.py --messages messages.jsonl --folder build/release/dap_packages

Messages become constants of the types in @vscode/debugprotocol, and TypeScript says which do not fit: what is
missing, what has another type, and what the protocol does not know. Exit code 77 without npm or its registry.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from npm_packages import install

# Of these strings the value counts, since only some are allowed.
NAMED = {"type", "reason", "category", "presentationHint", "breakMode", "accessTypes", "areas", "event", "command"}


def shape(value, key=""):
    """What there is to be checked of a value; equal for values that differ in contents only."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{k}:{shape(v, k)}" for k, v in sorted(value.items())) + "}"
    if isinstance(value, list):
        return "[" + ",".join(sorted({shape(one, key) for one in value})) + "]"
    if isinstance(value, str) and key in NAMED:
        return json.dumps(value)
    return type(value).__name__


def thinned(value):
    """Without elements of arrays that look like ones before them."""
    if isinstance(value, dict):
        return {k: thinned(v) for k, v in value.items()}
    if isinstance(value, list):
        return [thinned(one) for one in {shape(one): one for one in value}.values()]
    return value


def type_of(message):
    if message["type"] == "event":
        name = message["event"] + "Event"
    elif not message["success"]:
        name = "errorResponse"
    else:
        name = message["command"] + "Response"
    return name[0].upper() + name[1:]


def program(messages):
    lines = ["import {DebugProtocol} from '@vscode/debugprotocol';"]
    for i, message in enumerate(messages):
        lines.append(f"export const m{i}: DebugProtocol.{type_of(message)} = {json.dumps(thinned(message))};")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", required=True, type=Path)
    parser.add_argument("--folder", required=True, type=Path)
    options = parser.parse_args()
    install(options.folder)
    lines = options.messages.read_text().splitlines()
    distinct = {shape(message): message for message in map(json.loads, lines)}
    source = options.folder / "messages.ts"
    source.write_text(program(distinct.values()))
    compiler = options.folder / "node_modules" / "typescript" / "bin" / "tsc"
    checked = subprocess.run(
        ["node", str(compiler.resolve()), "--noEmit", "--strict", "--target", "es2020", "--moduleResolution", "node", source.name],
        cwd=options.folder,
        capture_output=True,
        text=True,
    )
    kinds = sorted({type_of(message) for message in distinct.values()})
    print(f"{len(lines)} messages of {len(distinct)} shapes and {len(kinds)} types: {', '.join(kinds)}")
    if checked.returncode != 0:
        print(checked.stdout + checked.stderr)
        shown = source.read_text().splitlines()
        for line in checked.stdout.splitlines():
            if line.startswith("messages.ts("):
                print(shown[int(line[len("messages.ts(") :].split(",")[0]) - 1][:2000])
        sys.exit(1)
    # A run that recorded next to nothing has checked nothing.
    if len(kinds) < 35:
        print("that is not all that dap_test.py asks for")
        sys.exit(1)


if __name__ == "__main__":
    main()
