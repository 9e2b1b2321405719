#!/usr/bin/env python3
"""Runs the jobs of this folder as SPIR-V on an OpenCL driver and compares with what they expect.

    testsuites/opcodes/on_device.py Intel                         # what agrees, and what does not
    testsuites/opcodes/on_device.py Intel --write intel-cpu       # writes devices/intel-cpu.tsv and .md
    testsuites/opcodes/on_device.py Intel --jobs /tmp/sizes       # the jobs of another folder

Each job runs in a process of its own (job_on_opencl), because drivers crash and hang.  A job whose
work-groups do not divide its index space is run a second time with work-groups that do where the
first run does not agree.  Launches that need an image format that the driver does not support are left
out and named, and what they would have written is not compared.  Results of images are judged by
image_judge.py.  The causes of what does not agree are written by people, in
devices/NAME.causes.tsv: a pattern, a tab, a sentence.  The first pattern that is found in "job, outcome,
detail" (with tabs between them) is a job's, and so with its note.  Exit code 1 where a job that does not
agree has no cause, 77 where there is no such driver.  With --vendors FOLDER, or where ./dev setup --all
has put Intel's driver, OCL_ICD_VENDORS need not be set.
"""
import argparse
import collections
import datetime
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import image_judge  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FRACTION_BITS = {"half": 10, "float": 23, "double": 52, "bfloat16": 7}
BITS = {"half": 16, "float": 32, "double": 64, "bfloat16": 16}
BFLOAT16 = {"OpConvertFToBF16INTEL"}  # gives it as an integer
ANY_RESULT = ["infinite_ulp", "implementation_defined", "IMPL"]
AGREEING = ["same", "nan", "allowed"]
OUTCOMES = {
    "same": "the same bits",
    "nan": "the same but for the bits of NaNs",
    "allowed": "the same but for NaNs and errors within the limits of the full profile, of images within those of "
               "OpenCL C's chapter 8",
    "differs": "other results",
    "refused": "the driver does not build the module, or not launch the kernel",
    "crashed": "the driver ends the process",
    "hung": "no end",
    "not given": "jobs that no driver can be given",
}
# What a note begins with.
DIVIDED = r"work-groups of \["
LEFT_OUT = r"^(\d+) of (\d+) launches left out"
# What a driver says that names nothing, and numbers that change from run to run.
NOISE = re.compile(r"PLEASE submit|^(remark|Compilation|Linking (started|done)|Device build|Options used|Failed to build"
                   r"|Stack dump|Done)|did not build|^\s*$|^ ?#\d|warning:|Failed to materialize|Failed to lookup")


def limits():
    """By instruction or OpenCL.std's name, by format: ulp, or infinity where any result is allowed."""
    table = {}
    read = json.loads((ROOT / "testsuites/spec/ulp_limits.json").read_text())
    for function in read["functions"]:
        cells = function["limits"].get("env", {}).get("full", {})
        # Limits with conditions of their own are no plain number, and are left out.
        row = {kind: math.inf if cell.get("kind") in ANY_RESULT else cell.get("ulp")
               for kind, cell in cells.items() if cell}
        names = {function.get("opencl_c_name"), function.get("spirv_core"), function["id"],
                 function["names_in_tables"].get("env")}
        for name in names - {None}:
            table.setdefault(name, row)
    return table


class Rows:
    """Which instruction a place of a buffer comes from, in modules that store row by row."""

    def __init__(self, path):
        self.definitions = {}
        stores = []
        for line in path.read_text().splitlines():
            words = line.split()
            if len(words) > 2 and words[1] == "=":
                self.definitions[words[0]] = words[2:]
            elif words[:1] == ["OpStore"]:
                stores.append(words[1:3])
        self.starts = collections.defaultdict(list)  # by parameter: (row's first element, instruction)
        for pointer, value in stores:
            chain = self.definitions.get(pointer, [])
            if "AccessChain" not in (chain or [""])[0] and "PtrAccess" not in (chain or [""])[0]:
                continue
            start = self.start(chain[3])
            if start is not None:
                self.starts[chain[2]].append((start, self.instruction(value)))
        self.parameters = [name for name, words in self.definitions.items() if words[0] == "OpFunctionParameter"]

    def start(self, index):
        words = self.definitions.get(index, [])
        if words[:2] != ["OpIAdd", "%ulong"] and words[:2] != ["OpIAdd", "%uint"]:
            return 0 if words and words[0] != "OpConstant" else None
        number = self.definitions.get(words[3], [])
        return int(number[2]) if number[:1] == ["OpConstant"] else None

    def instruction(self, value):
        words = self.definitions.get(value, ["?"])
        while words[0] in ("OpSelect", "OpCopyObject", "OpUConvert") and words[2] in self.definitions:
            inner = self.definitions[words[2]]
            if inner[0] in ("OpFunctionParameter", "OpLoad", "OpConstant", "OpUndef"):
                break
            words = inner
        return words[3] if words[0] == "OpExtInst" else words[0]

    def at(self, parameter, element):
        if parameter >= len(self.parameters):
            return "?"
        rows = [row for row in self.starts[self.parameters[parameter]] if row[0] <= element]
        return max(rows)[1] if rows else "?"


def place_on_line(kind, bits):
    """Neighbouring floats have neighbouring places."""
    sign = 1 << (BITS[kind] - 1)
    return sign - bits if bits & sign else bits


def is_nan(kind, bits):
    return kind in BITS and (bits & ((1 << BITS[kind] - 1) - 1)) >> FRACTION_BITS[kind] << FRACTION_BITS[kind] == (
        ((1 << BITS[kind] - 1) - 1) >> FRACTION_BITS[kind] << FRACTION_BITS[kind]) and bool(
        bits & ((1 << FRACTION_BITS[kind]) - 1))


def judge(job, path, checked, table):
    """(outcome, detail) of a run that came to its end."""
    rows = Rows(path.parent / job["module"]) if job["module"].endswith(".spvasm") else None
    outcome, worst = "same", {}
    for name, buffer in checked.items():
        if buffer.get("same_digest") is False:
            return "differs", f"buffer {name}"
        kind = buffer["type"]
        shared = job.get("buffers", {}).get(name)  # of several launches
        shape = re.search(r"\d+$", (shared or job["args"][int(name)]["buffer"])["type"])
        components = int(shape[0]) if shape else 1
        for place, found, expected in buffer.get("differences", []):
            found, expected = int(found, 16), int(expected, 16)
            instruction = rows.at(int(name), place // components) if rows and not shared else "?"
            held = "bfloat16" if instruction in BFLOAT16 else kind
            if is_nan(held, found) and is_nan(held, expected):
                outcome = outcome if outcome != "same" else "nan"
                continue
            distance = math.inf
            if kind in BITS and not is_nan(kind, found) and not is_nan(kind, expected):
                distance = abs(place_on_line(kind, found) - place_on_line(kind, expected))
            limit = table.get(instruction, {}).get(kind) or 0
            allowed = limit == math.inf or limit > 0.5 and distance <= math.ceil(limit)
            known = worst.get(instruction)
            if known is None or (allowed, -distance) < (known[0], -known[1]):
                worst[instruction] = (allowed, distance, kind, found, expected, place)
    wrong = {name: row for name, row in worst.items() if not row[0]}
    if not worst:
        return outcome, ""
    texts = []
    for name, (_, distance, kind, found, expected, place) in sorted((wrong or worst).items()):
        if wrong:
            digits = BITS.get(kind, 0) // 4
            texts.append(f"{name}: {found:#0{digits + 2}x} for {expected:#0{digits + 2}x} (component {place})")
        else:
            texts.append(f"{name} {distance:g}")
    return ("differs" if wrong else "allowed"), "; ".join(texts)


def judge_images(job, path, answer, folder):
    """(outcome, detail) of a job of `images`, whose launches share nothing; `folder` has what it left."""
    left_out = {row["launch"] for row in answer.get("left_out", [])}
    images = image_judge.Job(path, job, folder)
    outcome, wrong = "same", []
    for number, launch in enumerate(job["launches"]):
        names = {value for argument in launch["args"] for value in argument.values() if isinstance(value, str)}
        differences = {name: answer["checked"][name]["differences"] for name in sorted(names & set(answer["checked"]))
                       if answer["checked"][name]["differences"]}
        if number in left_out or not differences:
            continue
        outcome = "allowed"
        why = images.judge(launch)
        if why is None:
            why = [f"{name}: {found} for {expected} (component {place})"
                   for name, [(place, found, expected), *_] in differences.items()]
        wrong += why
    if wrong:
        return "differs", f"{len(wrong)} components, first {wrong[0]}"
    return outcome, ""


def left_out_of(job, answer):
    """"3 of 92 launches left out: CL_R UNORM_INT10X6_EXT UNORM_INT12X4_EXT, CL_RGB ..."; "" where all ran."""
    rows, types, others = answer.get("left_out", []), collections.defaultdict(list), []
    for row in rows:
        unsupported = re.match(r"(CL_\w+) CL_(\w+): not supported", row["why"])
        if unsupported is None:
            others.append(row["why"])
        elif unsupported[2] not in types[unsupported[1]]:
            types[unsupported[1]].append(unsupported[2])
    whys = [" ".join([order, *names]) for order, names in types.items()] + list(dict.fromkeys(others))
    return f"{len(rows)} of {len(job['launches'])} launches left out: {', '.join(whys)}" if rows else ""


def complaint(text):
    lines = [line.strip() for line in text.splitlines() if not NOISE.search(line.strip())]
    said = " / ".join(lines)[:400].replace("\t", " ").replace(f"{ROOT}/", "")
    return re.sub(r"0x[0-9a-f]{6,}", "0x...", re.sub(r"/tmp/\S+/", "", said))


class NoDriver(Exception):
    pass


def use_vendors(folder):
    """Which drivers the OpenCL loader looks for: the given ones, those of the environment, or Intel's."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    installed = sorted(pathlib.Path(cache).glob("assay-peers/intel-opencl-*/icd"))
    if folder:
        os.environ["OCL_ICD_VENDORS"] = str(folder)
    elif "OCL_ICD_VENDORS" not in os.environ and installed:
        os.environ["OCL_ICD_VENDORS"] = str(installed[-1])


class Runner:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = pathlib.Path(folder)
        self.table = limits()
        self.device = self.driver = ""

    def once(self, path, job):
        """(outcome, detail, what was left out) of the job in the file."""
        result = self.folder / "result.json"
        result.unlink(missing_ok=True)
        left = self.folder / "left"
        shutil.rmtree(left, ignore_errors=True)
        left.mkdir()
        command = [str(self.arguments.tool), str(path), self.arguments.platform, "--check", "--json", str(result)]
        command += ["--save", str(left)] if "images" in job else []
        try:
            done = subprocess.run(command, capture_output=True, timeout=self.arguments.timeout, cwd=self.folder)
        except subprocess.TimeoutExpired:
            return "hung", f"no end within {self.arguments.timeout:g} s", ""
        said = done.stderr.decode(errors="replace")
        if done.returncode == 2 or "no OpenCL" in said:
            raise NoDriver(complaint(said))
        if done.returncode == 3:
            return "not given", complaint(said), ""
        if done.returncode == 4:
            return "refused", complaint(said), ""
        if done.returncode < 0:
            return "crashed", f"{signal.Signals(-done.returncode).name}: {complaint(said)}", ""
        if done.returncode != 0 or not result.exists():
            return "crashed", f"exit code {done.returncode}: {complaint(said)}", ""
        answer = json.loads(result.read_text())
        self.device, self.driver = answer["device"], answer["driver"]
        if "images" in job:
            outcome, detail = judge_images(job, path, answer, left)
        else:
            outcome, detail = judge(job, path, answer["checked"], self.table)
        left_out = left_out_of(job, answer)
        printed = job["expect"].get("output")
        if printed is not None and done.stdout.decode(errors="replace") != printed:
            return "differs", (detail + "; " if detail else "") + "other output of printf", left_out
        return outcome, detail, left_out

    def adapted(self, path, job, change):
        """The job with changes, and its module beside it; with a required size of sub-groups where the job
        gives one as an option, because drivers know no other way to be told."""
        module = (path.parent / job["module"]).read_text()
        changed = {**job, **change, "module": "module.spvasm"}
        size = changed.pop("sub_group_size", None)
        if size and not re.search(r"^OpExecutionMode %\w+ SubgroupSize", module, re.MULTILINE):
            entry = re.search(r"^OpEntryPoint Kernel (%\w+).*$", module, re.MULTILINE)
            module = module.replace(entry[0], f"{entry[0]}\nOpExecutionMode {entry[1]} SubgroupSize {size}")
            module = module.replace("OpCapability Kernel", "OpCapability Kernel\nOpCapability SubgroupDispatch", 1)
        (self.folder / "module.spvasm").write_text(module)
        target = self.folder / "job.json"
        target.write_text(json.dumps(changed))
        return target, changed

    def run(self, path):
        """(outcome, detail, note)"""
        job = json.loads(path.read_text())
        if not isinstance(job.get("module"), str):
            return self.once(path, job)
        if "sub_group_size" in job:
            path, job = self.adapted(path, job, {})
        outcome, detail, left_out = self.once(path, job)
        sizes, local = job.get("global", []), job.get("local")
        if outcome in AGREEING or not local or all(g % l == 0 for g, l in zip(sizes, local)):
            return outcome, detail, left_out
        dividing = [max(d for d in range(1, l + 1) if g % d == 0) for g, l in zip(sizes, local)]
        again = self.once(*self.adapted(path, job, {"local": dividing}))[:2]
        if again == (outcome, detail):
            return outcome, detail, ""
        was = outcome if outcome != "differs" else "other results"
        return (*again, f"{was} in work-groups of {local}, these in {dividing}")


def families(folder):
    return sorted({path.parent for path in pathlib.Path(folder).glob("**/*.json")})


def causes_of(job, outcome, detail, note, causes):
    """Of what does not agree, and of what was changed until it did: "" where nobody knows."""
    lines = ["\t".join([job, outcome, detail])] if outcome not in AGREEING else []
    lines += [note] if note else []
    return [next((cause for pattern, cause in causes if re.search(pattern, line)), "") for line in lines]


def read_causes(path):
    if not path.exists():
        return []
    rows = [line.split("\t") for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [(row[0], row[1]) for row in rows]


def table_of(results):
    """How many of each family have each outcome, without columns of nothing."""
    used = [name for name in OUTCOMES if any(outcome == name for _, outcome, *_ in results)]
    notes = {"with divided work-groups": DIVIDED}
    if any(re.search(LEFT_OUT, note) for _, _, _, note, _ in results):
        notes["with launches left out"] = LEFT_OUT
    columns = ["family", "jobs", *used, *notes]
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    names = sorted({job.split("/")[0] for job, *_ in results})
    for family in [*names, "all"]:
        of_family = [row for row in results if family in ("all", row[0].split("/")[0])]
        rows = [outcome for _, outcome, *_ in of_family]
        counts = [str(rows.count(name) or "") for name in used]
        for pattern in notes.values():
            counts.append(str(sum(bool(re.search(pattern, note)) for _, _, _, note, _ in of_family) or ""))
        lines.append(f"| {family} | {len(rows)} | " + " | ".join(counts) + " |")
    return lines


def page(name, made, results, causes):
    lines = ["# The opcode jobs as SPIR-V on a driver", "",
             f"{made}; every job is a line of [{name}.tsv]({name}.tsv).", "", *table_of(results), ""]
    used = {outcome for _, outcome, *_ in results}
    lines += [f"- {outcome}: {text}" for outcome, text in OUTCOMES.items() if outcome in used]
    lines.append("- with divided work-groups: what the job does with a work-group size that divides its index space, "
                 "because it does something else with its own; where the driver spoils its heap, this is a matter "
                 "of chance, and the figure changes from run to run")
    left_out = [re.search(LEFT_OUT, note) for _, _, _, note, _ in results]
    numbers = [(int(match[1]), int(match[2])) for match in left_out if match]
    if numbers:
        lines.append(f"- with launches left out: of the {sum(all_ for _, all_ in numbers)} launches of these jobs "
                     f"{sum(left for left, _ in numbers)} need an image format that the driver does not support; the "
                     "results of the others are compared")
    groups = collections.defaultdict(list)
    for job, outcome, detail, note, _ in results:
        for cause in causes_of(job, outcome, detail, note, causes):
            groups[cause].append(job)
    order = {cause: place for place, (_, cause) in enumerate(causes)}
    lines += ["", "## Causes", "", "| jobs | cause | which |", "|---|---|---|"]
    for cause, jobs in sorted(groups.items(), key=lambda item: order.get(item[0], len(order))):
        shown = ", ".join(jobs[:4]) + (", ..." if len(jobs) > 4 else "")
        lines.append(f"| {len(jobs)} | {cause or '**not known**'} | {shown} |")
    return "\n".join(lines) + "\n"


def run_all(arguments, causes):
    """(where and when, the jobs' lines)"""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(arguments, folder)
        for family in families(arguments.jobs):
            if arguments.family and family.name not in arguments.family:
                continue
            for path in sorted(family.glob("*.json")):
                outcome, detail, note = runner.run(path)
                name = f"{family.name}/{path.stem}"
                found = causes_of(name, outcome, detail, note, causes)
                results.append((name, outcome, detail, note, "; ".join(found)))
                if found:
                    print("\t".join(results[-1]).rstrip(), flush=True)
    words = arguments.command or " ".join(["testsuites/opcodes/on_device.py", arguments.platform, *arguments.family])
    made = f"{runner.device}, driver {runner.driver}, {datetime.date.today()}, `{words} --write {arguments.write}`"
    return made, results


def read_again(name, causes):
    """What run_all gave when it was written, with the causes of today."""
    head, *lines = (HERE / f"devices/{name}.tsv").read_text().splitlines()
    rows = [(line.split("\t") + [""] * 4)[:4] for line in lines]
    return head[2:], [(*row, "; ".join(causes_of(*row, causes))) for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("platform", help="a part of the platform's name, as for assay validate --opencl")
    parser.add_argument("family", nargs="*", help="folders; all without")
    parser.add_argument("--jobs", type=pathlib.Path, default=HERE, help="the folder of the families")
    parser.add_argument("--write", metavar="NAME", help="write devices/NAME.tsv and devices/NAME.md")
    parser.add_argument("--again", action="store_true", help="nothing runs: with --write, only the causes are new")
    parser.add_argument("--causes", metavar="NAME", help="devices/NAME.causes.tsv, where it is not that of --write")
    parser.add_argument("--command", help="what is written of how it was made")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--tool", default=ROOT / "build/release/bin/job_on_opencl")
    parser.add_argument("--vendors", metavar="FOLDER", help="where the driver's .icd file is")
    arguments = parser.parse_args()
    name = arguments.write
    causes = read_causes(HERE / f"devices/{arguments.causes or name}.causes.tsv")
    use_vendors(arguments.vendors)
    try:
        made, results = read_again(name, causes) if arguments.again else run_all(arguments, causes)
    except NoDriver as why:
        print(f"skipped: {why}")
        return 77
    print("\n".join(table_of(results)))
    if name:
        lines = ["# " + made, *("\t".join(row).rstrip("\t") for row in results)]
        (HERE / f"devices/{name}.tsv").write_text("\n".join(lines) + "\n")
        (HERE / f"devices/{name}.md").write_text(page(name, made, results, causes))
    unknown = [row[0] for row in results if "" in causes_of(*row[:4], causes)]
    print(f"{len(unknown)} without a cause", " ".join(unknown[:20]), file=sys.stderr)
    return 1 if unknown or not results else 0


if __name__ == "__main__":
    sys.exit(main())
