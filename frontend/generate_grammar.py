#!/usr/bin/env python3
"""Turns SPIRV-Headers' grammar JSON into the C++ that frontend is compiled with.

usage: generate_grammar.py GRAMMAR_FOLDER NEWER NAMES HEADER TABLES

NEWER is newer_grammar.json: instructions, operands and enumerants that are added where the headers do
not have them, names that the registry has changed, and instructions whose operands some headers have
wrong.  NAMES is registry_names.tsv: numbers that are only
named.

HEADER gets one enum class for each enumerated operand kind, for the opcodes and for each extended
instruction set; TABLES gets the rows that grammar.cc looks things up in.  The order of rows is the
order of values, so that a look-up can be a binary search or an index.
"""

import json
import os
import sys

# Name in C++, name in OpExtInstImport, file.
EXTENDED_SETS = [
    ("OpenClStd", "OpenCL.std", "extinst.opencl.std.100.grammar.json"),
    ("OpenClDebugInfo100", "OpenCL.DebugInfo.100", "extinst.opencl.debuginfo.100.grammar.json"),
    ("ShaderDebugInfo100", "NonSemantic.Shader.DebugInfo.100",
     "extinst.nonsemantic.shader.debuginfo.100.grammar.json"),
]
QUANTIFIERS = {None: "kOne", "?": "kOptional", "*": "kAny"}
CATEGORIES = {"BitEnum": "kBits", "ValueEnum": "kValue", "Id": "kId", "Literal": "kLiteral",
              "Composite": "kComposite"}
NO_VERSION = 255  # the grammar's "None": in no version of the core, by extension only


def identifier(name, prefix=""):
    """The house's spelling of an enumerator: OpIAdd -> kIAdd, 1D -> k1D, native_sin -> kNativeSin."""
    name = name[len(prefix):] if name.startswith(prefix) else name
    if "_" in name or name[0].islower():
        name = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    return "k" + name


def number(value):
    return int(value, 0) if isinstance(value, str) else value


def version(entry):
    """Major and minor in a nibble each."""
    text = entry.get("version", "1.0")
    if text == "None":
        return NO_VERSION
    major, minor = text.split(".")
    return int(major) * 16 + int(minor)


def quoted(name):
    return json.dumps(name)


class Pool:
    """An array of C++ initializers in which equal runs are stored once."""

    def __init__(self):
        self.rows = []
        self.known = {}

    def span(self, rows):
        rows = tuple(rows)
        if rows not in self.known:
            self.known[rows] = len(self.rows)
            self.rows.extend(rows)
        return f"{{{self.known[rows]}, {len(rows)}}}"


def rename(core, names):
    """Gives enumerants, capabilities among them, their present names: {former: present}."""
    for kind in core["operand_kinds"]:
        for entry in kind.get("enumerants", []):
            entry["enumerant"] = names.get(entry["enumerant"], entry["enumerant"])
            if "capabilities" in entry:
                entry["capabilities"] = [names.get(one, one) for one in entry["capabilities"]]
    for entry in core["instructions"]:
        if "capabilities" in entry:
            entry["capabilities"] = [names.get(one, one) for one in entry["capabilities"]]


def operands_of(entry):
    return [(one["kind"], one.get("quantifier")) for one in entry.get("operands", [])]


def add_newer(core, newer):
    """Adds what the headers lack; the opcodes and the (kind, value) of enumerants that were added."""
    # What has wrong operands there is as if it lacked: SPIRV-Tools of those headers misreads it.
    right = {entry["opname"]: operands_of(entry) for entry in newer["instructions"]
             if entry["opname"] in newer["corrected"]}
    core["instructions"] = [entry for entry in core["instructions"]
                            if right.get(entry["opname"], operands_of(entry)) == operands_of(entry)]
    instructions = {entry["opname"]: entry for entry in core["instructions"]}
    opcodes = {entry["opcode"] for entry in core["instructions"]}
    kinds = {kind["kind"]: kind for kind in core["operand_kinds"]}
    added = [entry for entry in newer["instructions"] if entry["opcode"] not in opcodes]
    core["instructions"] += added
    enumerants = []
    for kind in newer["operand_kinds"]:
        if kind["kind"] not in kinds:
            kinds[kind["kind"]] = {**kind, "enumerants": []}
            core["operand_kinds"].append(kinds[kind["kind"]])
        known = kinds[kind["kind"]]["enumerants"]
        values = {number(entry["value"]) for entry in known}
        for entry in kind["enumerants"]:
            if number(entry["value"]) not in values:
                known.append(entry)
                enumerants.append((kind["kind"], number(entry["value"])))
    for more in newer["more_operands"]:
        operands = instructions[more["opname"]]["operands"]
        operands += [one for one in more["operands"]
                     if one["kind"] not in {operand["kind"] for operand in operands}]
    return sorted(entry["opcode"] for entry in added), enumerants


class Tables:
    def __init__(self, folder, newer):
        self.folder = folder
        self.core = self.load("spirv.core.grammar.json")
        with open(newer, encoding="utf-8") as stream:
            changes = json.load(stream)
        rename(self.core, changes["renamed"])
        self.newer_opcodes, self.newer_enumerants = add_newer(self.core, changes)
        self.sets = [(cpp, name, self.load(file)) for cpp, name, file in EXTENDED_SETS]
        self.operands, self.capabilities, self.extensions = Pool(), Pool(), Pool()
        self.capability_values = {}
        self.kinds = []  # (C++ name, kind's JSON)
        for kind in self.core["operand_kinds"]:
            self.kinds.append((kind["kind"], kind))
            if kind["kind"] == "Capability":
                self.capability_values = {
                    name: number(e["value"]) for e in kind["enumerants"]
                    for name in [e["enumerant"], *e.get("aliases", [])]}
        for cpp, _, grammar in self.sets:
            for kind in grammar.get("operand_kinds", []):
                self.kinds.append((cpp + kind["kind"], kind))

    def load(self, file):
        with open(os.path.join(self.folder, file), encoding="utf-8") as stream:
            return json.load(stream)

    def kind_name(self, kind, scope):
        """A set's own kind hides the core's of the same name."""
        own = scope + kind
        return own if scope and any(name == own for name, _ in self.kinds) else kind

    def operand_span(self, entry, scope, key="operands"):
        rows = []
        for operand in entry.get(key, []):
            kind = self.kind_name(operand["kind"], scope)
            rows.append(
                f"{{OperandKind::{identifier(kind)}, "
                f"Quantifier::{QUANTIFIERS[operand.get('quantifier')]}}}")
        return self.operands.span(rows)

    def capability_span(self, entry):
        return self.capabilities.span(
            f"Capability{{{self.capability_values[c]}}}" for c in entry.get("capabilities", []))

    def extension_span(self, entry):
        return self.extensions.span(quoted(e) for e in entry.get("extensions", []))


def unique_by_value(entries, key):
    """Of several names for one value the first stands in the tables, with the extensions of all; every
    name is an enumerator."""
    seen = {}
    for entry in entries:
        first = seen.setdefault(number(entry[key]), {**entry})
        first["extensions"] = [*first.get("extensions", []),
                               *(one for one in entry.get("extensions", [])
                                 if one not in first.get("extensions", []))]
    return [seen[value] for value in sorted(seen)]


def enumerators(entries, key, value, prefix=""):
    """Every name, also those that the registry has replaced: {enumerator: value}."""
    rows = {identifier(entry[key], prefix): number(entry[value]) for entry in entries}
    for entry in entries:
        for name in entry.get("aliases", []):
            rows.setdefault(identifier(name, prefix), number(entry[value]))
    return rows.items()


def write_enum(out, name, base, rows):
    out.append(f"enum class {name} : std::{base} {{")
    out.extend(f"  {key} = {value}," for key, value in rows)
    out.append("};\n")


def header(tables):
    out = ["// Generated from SPIRV-Headers' grammar by frontend/generate_grammar.py.",
           "#pragma once\n", "#include <cstdint>\n", "namespace assay::frontend {\n"]
    write_enum(out, "Op", "uint16_t",
               enumerators(tables.core["instructions"], "opname", "opcode", "Op"))
    write_enum(out, "OperandKind", "uint8_t",
               ((identifier(name), index) for index, (name, _) in enumerate(tables.kinds)))
    for name, kind in tables.kinds:
        if "enumerants" in kind:
            write_enum(out, name, "uint32_t",
                       enumerators(kind["enumerants"], "enumerant", "value"))
    write_enum(out, "ExtendedSet", "uint8_t",
               [("kUnknown", 0)] + [("k" + cpp, i + 1) for i, (cpp, _, _) in enumerate(tables.sets)])
    for cpp, _, grammar in tables.sets:
        write_enum(out, cpp, "uint32_t",
                   ((identifier(i["opname"]), i["opcode"]) for i in grammar["instructions"]))
    out.append("}  // namespace assay::frontend")
    return "\n".join(out) + "\n"


def instruction_row(tables, entry, scope):
    return (f"{{{entry['opcode']}, {version(entry)}, {quoted(entry['opname'])}, "
            f"{tables.operand_span(entry, scope)}, {tables.capability_span(entry)}, "
            f"{tables.extension_span(entry)}}},")


def array(out, kind, name, rows):
    out.append(f"constexpr {kind} {name}[] = {{")
    out.extend("    " + row for row in rows)
    out.append("};\n")


def tables_text(tables):
    instructions = unique_by_value(tables.core["instructions"], "opcode")
    rows = [instruction_row(tables, entry, "") for entry in instructions]
    places = {entry["opcode"]: place + 1 for place, entry in enumerate(instructions)}

    set_rows, set_instructions = [], []
    for cpp, name, grammar in tables.sets:
        entries = unique_by_value(grammar["instructions"], "opcode")
        set_rows.append(f"{{{quoted(name)}, {{{len(set_instructions)}, {len(entries)}}}}},")
        set_instructions.extend(instruction_row(tables, entry, cpp) for entry in entries)

    kind_rows, enumerants = [], []
    for name, kind in tables.kinds:
        scope = next((cpp for cpp, _, _ in tables.sets if name.startswith(cpp)), "")
        entries = unique_by_value(kind.get("enumerants", []), "value")
        bases = tables.operands.span(
            f"{{OperandKind::{identifier(base)}, Quantifier::kOne}}" for base in kind.get("bases", []))
        kind_rows.append(f"{{{quoted(kind['kind'])}, Category::{CATEGORIES[kind['category']]}, "
                         f"{{{len(enumerants)}, {len(entries)}}}, {bases}}},")
        for entry in entries:
            enumerants.append(
                f"{{{number(entry['value'])}u, {version(entry)}, {quoted(entry['enumerant'])}, "
                f"{tables.operand_span(entry, scope, 'parameters')}, "
                f"{tables.capability_span(entry)}, {tables.extension_span(entry)}}},")

    out = ["// Generated from SPIRV-Headers' grammar by frontend/generate_grammar.py."]
    array(out, "OperandRule", "kOperands", (row + "," for row in tables.operands.rows))
    array(out, "Capability", "kCapabilities", (row + "," for row in tables.capabilities.rows))
    array(out, "std::string_view", "kExtensions", (row + "," for row in tables.extensions.rows))
    array(out, "InstructionRow", "kInstructions", rows)
    # One more than the place in kInstructions, by opcode; 0: there is no such instruction.
    size = max(places) + 1
    index = [str(places.get(opcode, 0)) for opcode in range(size)]
    array(out, "std::uint16_t", "kInstructionByOpcode",
          (", ".join(index[i:i + 24]) + "," for i in range(0, size, 24)))
    array(out, "SetRow", "kSets", set_rows)
    array(out, "InstructionRow", "kSetInstructions", set_instructions)
    array(out, "KindRow", "kKinds", kind_rows)
    array(out, "EnumerantRow", "kEnumerants", enumerants)
    array(out, "Op", "kNewerOpcodes", [f"Op{{{opcode}}}," for opcode in tables.newer_opcodes] or ["Op{0}"])
    array(out, "NewerEnumerant", "kNewerEnumerants",
          [f"{{OperandKind::{identifier(kind)}, {value}u}},"
           for kind, value in tables.newer_enumerants] or ["{OperandKind{255}, 0}"])
    return "\n".join(out) + "\n"


def registry_names(tables, path):
    """The rows of what no table has."""
    known = {("Instruction", entry["opcode"]) for entry in tables.core["instructions"]}
    kinds = {"Instruction"}
    for kind in tables.core["operand_kinds"]:
        kinds.add(kind["kind"])
        known |= {(kind["kind"], number(entry["value"])) for entry in kind.get("enumerants", [])}
    with open(path, encoding="utf-8") as stream:
        rows = [line.rstrip("\n").split("\t") for line in stream if not line.startswith("#")]
    return [(kind, int(value), name, extension) for kind, value, name, extension in rows
            if kind in kinds and (kind, int(value)) not in known]


def names_text(tables, path):
    rows = registry_names(tables, path)
    out = []
    array(out, "OpcodeName", "kOpcodeNames",
          [f"{{Op{{{value}}}, {{{quoted(name)}, {quoted(extension)}}}}},"
           for kind, value, name, extension in rows if kind == "Instruction"] or ["{Op{0}, {}},"])
    array(out, "EnumerantNameRow", "kEnumerantNames",
          [f"{{OperandKind::{identifier(kind)}, {value}u, {{{quoted(name)}, {quoted(extension)}}}}},"
           for kind, value, name, extension in rows if kind != "Instruction"]
          or ["{OperandKind{255}, 0, {}},"])
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    tables = Tables(sys.argv[1], sys.argv[2])
    rows = tables_text(tables) + names_text(tables, sys.argv[3])
    for path, text in ((sys.argv[4], header(tables)), (sys.argv[5], rows)):
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)


if __name__ == "__main__":
    main()
