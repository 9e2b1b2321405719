#!/usr/bin/env python3
"""The bounds of errors that Gappa and Sollya prove hold, and are proven of the code as it is.

usage: python3 testsuites/proofs/proofs_test.py [--accept]

A proof is about a transcription of code. proves.tsv has what each one transcribes, with a hash of its text; a
change of the code fails here until somebody has read the proof again. Then --accept writes the new hashes.
"""

import argparse
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TABLE = HERE / "proves.tsv"
NOT_RUN = 77  # ctest shows the test as skipped


def code_of(source, name):
    """The definition of a constant or function `name`, without comments and spaces; None if there is none."""
    source = re.sub(r"//[^\n]*", "", source)
    constant = re.search(rf"^\s*constexpr \w+ (?:k\w+ = [^;]*, )?{name} = [^;]*;", source, re.MULTILINE)
    if constant:
        return "".join(constant[0].split())
    function = re.search(rf"^[\w:<>&* ]+\b{name}\([^;{{]*\) \{{.*?^\}}", source, re.MULTILINE | re.DOTALL)
    structure = re.search(rf"^struct {name} \{{.*?^\}};", source, re.MULTILINE | re.DOTALL)
    found = function or structure
    return "".join(found[0].split()) if found else None


def rows():
    lines = TABLE.read_text().splitlines()
    assert lines[0].split("\t") == ["proofs", "file", "name", "sha256"], f"{TABLE}: unknown columns"
    return [line.split("\t") for line in lines[1:]]


def changed_code(accept):
    """What is wrong with the table, a line each; writes it anew if `accept`."""
    wrong, table = [], ["proofs\tfile\tname\tsha256"]
    for proofs, file, name, expected in rows():
        code = code_of((ROOT / file).read_text(), name)
        actual = hashlib.sha256(code.encode()).hexdigest()[:16] if code else "missing"
        if code is None:
            wrong.append(f"{file} does not define {name}, which testsuites/proofs/{proofs}*.gappa transcribes")
        elif actual != expected and not accept:
            wrong.append(f"{file}: {name} is not what testsuites/proofs/{proofs}*.gappa transcribes: mend the proof, "
                         "then run testsuites/proofs/proofs_test.py --accept")
        table.append(f"{proofs}\t{file}\t{name}\t{actual}")
    if accept:
        TABLE.write_text("\n".join(table) + "\n")
    return wrong


def run(command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=300)


def unproven(path):
    """What Gappa says of a file that it cannot prove; None where it can.

    It takes a rewriting whose sides are not equal for true, and only warns."""
    done = run(["gappa", str(path)])
    told = [line for line in done.stderr.splitlines() if "has been assumed to be nonzero" not in line]
    if done.returncode == 0 and not told:
        return None
    return f"{path.name} is not proven: " + "\n  ".join(told)


def wrong_series(path):
    done = run(["sollya", str(path)])
    claims = [line for line in done.stdout.splitlines() if line.endswith(("true", "false"))]
    expected = len(re.findall(r"^claim\(", path.read_text(), re.MULTILINE))
    wrong = [f"{path.name}: {line}" for line in claims if not line.endswith("true")]
    if len(claims) != expected or done.returncode != 0:
        wrong.append(f"{path.name}: {len(claims)} of {expected} claims were answered\n{done.stdout}{done.stderr}")
    return wrong


def tighter(path):
    """The file with each bound that it proves made 2^20 times smaller, which no proof may find."""
    text = path.read_text()
    head, goal = text.split("->", 1)
    end = goal.index("\n}")
    return head + "->" + re.sub(r"(<= 0x[\d.a-f]+p-)(\d+)", lambda m: m[1] + str(int(m[2]) + 20), goal[:end]) + goal[end:]


def main():
    parser = argparse.ArgumentParser(description="Check the proofs of bounds of errors.")
    parser.add_argument("--accept", action="store_true", help="take the code as it is for what the proofs transcribe")
    wrong = changed_code(parser.parse_args().accept)
    if shutil.which("gappa") and shutil.which("sollya"):
        proofs = sorted(HERE.glob("*.gappa"))
        wrong += filter(None, map(unproven, proofs))
        wrong += wrong_series(HERE / "series.sollya")
        # Gappa is asked for what is false as well: else a proof of nothing would pass.
        if run(["gappa"], tighter(HERE / "exp_3_total.gappa")).returncode == 0:
            wrong.append("exp_3_total.gappa: a bound that is false is proven as well")
        prefixes = [row[0] for row in rows()]
        wrong += [f"{path.name}: proves.tsv does not say what it transcribes" for path in proofs
                  if not path.name.startswith(tuple(prefixes))]
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong:
        return 1
    if not (shutil.which("gappa") and shutil.which("sollya")):
        print("only the code was compared: gappa and sollya are not installed (./dev setup --all)")
        return NOT_RUN
    return 0


if __name__ == "__main__":
    sys.exit(main())
