"""Writes OUTPUT, a C++ file with the rows of FOLDER/FUNCTION.FORMAT.tsv (testsuites/golden/hard).

    python3 generate_hard_cases.py FOLDER OUTPUT

A row that is not as testsuites/golden/hard/README.md says ends the build with its file and line.
"""

import math
import pathlib
import re
import sys

KINDS = {"midpoint": "kMidpoint", "number": "kNumber"}
SOURCES = {
    "exhaustive": "kExhaustive",
    "lefevre": "kLefevre",
    "published": "kPublished",
    "sampled": "kSampled",
}
FORMATS = {"half": "kHalf", "bfloat16": "kBfloat16", "float": "kFloat", "double": "kDouble"}
COLUMNS = ["log2_distance", "kind", "source", "run"]
MOST_OPERANDS = 3


def row(line, operands):
    """The C++ initializer of a line."""
    fields = line.split("\t")
    if len(fields) != operands + len(COLUMNS):
        raise ValueError(f"{len(fields)} fields where {operands + len(COLUMNS)} belong")
    *args, distance, kind, source, run = fields
    for bits in args:
        if not re.fullmatch(r"0x[0-9a-f]{4,16}", bits):
            raise ValueError(f"'{bits}' is no bit pattern such as 0x3f800000")
    if not math.isfinite(float(distance)) or float(distance) >= 0:
        raise ValueError(f"'{distance}' is no logarithm of a distance below 1")
    if run not in ("flat", "-"):
        raise ValueError(f"'{run}' is neither 'flat' nor '-'")
    flat = "true" if run == "flat" else "false"
    args += ["0"] * (MOST_OPERANDS - operands)
    return (
        f"    {{{{{', '.join(args)}}}, {float(distance)!r}, HardKind::{KINDS[kind]}, "
        f"HardSource::{SOURCES[source]}, {flat}}},\n"
    )


def table(path):
    """(function, format, initializers) of a file."""
    function, name = path.name.removesuffix(".tsv").split(".")
    rows = []
    operands = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("#") or not line:
            continue
        try:
            if operands is None:
                columns = line.split("\t")
                operands = len(columns) - len(COLUMNS)
                if columns[operands:] != COLUMNS or not 1 <= operands <= MOST_OPERANDS:
                    raise ValueError(f"the columns are not operands, {', '.join(COLUMNS)}")
                continue
            rows.append(row(line, operands))
        except (ValueError, KeyError) as error:
            sys.exit(f"{path}:{number}: {error}; make the file again with `assay golden search`")
    return function, FORMATS[name], rows


def main():
    folder, output = map(pathlib.Path, sys.argv[1:])
    tables = [table(path) for path in sorted(folder.glob("*.*.tsv"))]
    text = "// Made by generate_hard_cases.py.\n#include \"numerics/function.h\"\n#include \"numerics/hard_cases_data.h\"\n\n"
    text += "namespace assay::numerics {\nnamespace {\n"
    for function, name, rows in tables:
        if rows:
            text += f"constexpr HardCase {name}_{function}[] = {{\n{''.join(rows)}}};\n"
    text += "}  // namespace\n\n"
    text += "std::span<const HardCase> EmbeddedHardCases([[maybe_unused]] Function function,\n"
    text += "                                            [[maybe_unused]] Format format) {\n"
    for function, name, rows in tables:
        if rows:
            text += f"  if (function == Function::{function} && format == Format::{name}) "
            text += f"return {name}_{function};\n"
    text += "  return {};\n}\n\n}  // namespace assay::numerics\n"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text)


main()
