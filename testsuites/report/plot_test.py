#!/usr/bin/env python3
"""`assay report --plot` and `--table FILE.tex`: pictures, numbers and LaTeX of the recorded reports.

usage: plot_test.py --assay PROGRAM --surveys FOLDER [unittest's arguments]

LaTeX is compiled where pdflatex is installed (texlive-latex-recommended, texlive-pictures); elsewhere its structure is
checked. docs/plots has the pictures of the documents: each is compared with what the command beside it writes, and
ASSAY_BLESS=1 in the environment writes them again (./dev bless -R ReportPlot).
"""

import argparse
import csv
import io
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"
ROOT = pathlib.Path(__file__).resolve().parents[2]
PLOTS = ROOT / "docs/plots"
DOCUMENT = """\\documentclass{article}
\\usepackage[a4paper,margin=1cm]{geometry}
\\usepackage{pgfplots} \\pgfplotsset{compat=1.17}
\\usepackage{array} \\usepackage{booktabs} \\usepackage{longtable}
\\begin{document}
\\input{%s}
\\end{document}
"""


class Plot(unittest.TestCase):
    options = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def survey(self, name):
        return pathlib.Path(self.options.surveys).resolve() / f"{name}.json"

    def report(self, *words, code=1):
        command = [pathlib.Path(self.options.assay).resolve(), "report", *words]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def changed(self, name, survey, change):
        """A copy of a report, with each result changed."""
        report = json.loads(self.survey(survey).read_text())
        for result in report["results"]:
            change(result)
        path = self.folder / name
        path.write_text(json.dumps(report))
        return path

    def result(self, path, function, of):
        return next(r for r in json.loads(path.read_text())["results"] if (r["function"], r["format"]) == (function, of))

    def signed(self, result):
        """What reports of earlier versions do not have."""
        result["binades"] = [[e, 2 * n, u, [n, u, 1], [n, u if u == "inf" else u / 2, 4]] for e, n, u, *_ in result.get("binades", [])]

    def test_the_picture(self):
        names = ["pocl-3.1-debian12", "nvidia-580.159.04-h200", "glibc-2.36"]
        self.report(*map(self.survey, names), "--plot", "sin:float", "--svg", "sin.svg")
        root = xml.etree.ElementTree.parse(self.folder / "sin.svg").getroot()
        self.assertEqual(root.tag, SVG + "svg")
        texts = ["".join(text.itertext()) for text in root.iter(SVG + "text")]
        for expected in ("sin float", "limit 4 ulp", "largest error in ulp", "4 ulp", "magnitude of the operand", "> 104",
                         *(f"{letter} {name}" for letter, name in zip("ABC", names))):
            self.assertIn(expected, texts)
        lines = [path for path in root.iter(SVG + "path") if path.get("class") == "line" and "V" in path.get("d")]
        self.assertEqual(len(lines), 3)
        self.assertEqual(len({(line.get("stroke"), line.get("stroke-dasharray")) for line in lines}), 3)
        # PoCL is off the scale for small operands, and only it.
        beyond = [path for path in root.iter(SVG + "path") if path.get("class") == "beyond"]
        self.assertEqual([path.get("stroke") for path in beyond], [lines[0].get("stroke")])
        self.assertIn("NVIDIA H200", root.find(SVG + "desc").text)

    def heights(self, name):
        """The places of each line: (x, y) of its steps, and the place of the limit."""
        root = xml.etree.ElementTree.parse(self.folder / name).getroot()
        limit = next(float(re.match(r"M\S+ ([\d.]+)H", path.get("d"))[1]) for path in root.iter(SVG + "path")
                     if path.get("stroke-dasharray") == "2 3")
        return [[float(y) for y in re.findall(r"V([\d.]+)", path.get("d"))] for path in root.iter(SVG + "path")
                if path.get("class") == "line" and "V" in path.get("d")], limit

    def test_lines_stand_where_the_numbers_are(self):
        """cbrt of double: glibc is over the limit of 2 ulp somewhere, musl nowhere."""
        files = [self.survey("glibc-2.36"), self.survey("musl-1.2.3")]
        self.report(*files, "--plot", "cbrt:double", "--svg", "cbrt.svg")
        (glibc, musl), limit = self.heights("cbrt.svg")
        for file, line in zip(files, (glibc, musl)):
            largest = max(u for _, _, u, *_ in self.result(file, "cbrt", "double")["binades"])
            self.assertEqual(min(line) < limit, largest > 2, file)
        self.assertLess(min(glibc), limit)

    def test_numbers_are_those_of_the_report(self):
        files = [self.survey("pocl-5.0"), self.changed("signed.json", "rusticl-22.3.6-llvmpipe", self.signed)]
        done = self.report(*files, "--plot", "exp:float", "--csv", "-")
        rows = list(csv.DictReader(io.StringIO(done.stdout, newline="")))
        expected = set()
        for file in files:
            result = self.result(file, "exp", "float")
            for exponent, inputs, error, *signs in result["binades"]:
                for sign, (n, u, width) in zip(("positive", "negative"), signs) if signs else [("both", (inputs, error, ""))]:
                    expected.add((file.stem, sign, exponent, n, float(u), str(width) if u else ""))
        found = {(row["report"], row["sign"], int(row["exponent"]), int(row["inputs"]), float(row["max_ulp"]), row["width"])
                 for row in rows}
        self.assertEqual(found, expected)
        self.assertEqual(len(rows), len(expected))
        self.assertEqual({(row["function"], row["format"], row["limit"], row["limit_ulp"]) for row in rows},
                         {("exp", "float", "3", "3")})
        self.assertEqual({row["device"].split(",")[0] for row in rows}, {"Portable Computing Language", "rusticl"})

    def test_negative_operands_stand_to_the_left(self):
        signed = self.changed("signed.json", "rusticl-22.3.6-llvmpipe", self.signed)
        self.report(signed, "--plot", "exp:float", "--svg", "exp.svg")
        text = (self.folder / "exp.svg").read_text()
        self.assertIn(">−2<", text)
        self.assertNotIn("magnitude", text)
        # Beside a report without signs, both are drawn by magnitude.
        self.report(signed, self.survey("pocl-5.0"), "--plot", "exp:float", "--svg", "exp.svg")
        text = (self.folder / "exp.svg").read_text()
        self.assertNotIn(">−2<", text)
        self.assertIn("magnitude", text)

    def test_limits_that_differ_have_their_letters(self):
        other = self.changed("other.json", "pocl-5.0", lambda result: None)
        report = json.loads(other.read_text())
        report["run"]["profile"] = "embedded"
        for result in report["results"]:
            if (result["function"], result["format"]) == ("exp", "float"):
                result["limit"] = {"kind": "ulp", "value": 4, "text": "4", "clause": "OpenCL C 7.4"}
        other.write_text(json.dumps(report))
        self.report(self.survey("pocl-5.0"), other, "--plot", "exp:float", "--svg", "exp.svg")
        text = (self.folder / "exp.svg").read_text()
        self.assertIn("limit 3 ulp (A); limit 4 ulp (B)", text)

    def test_names_stay_text(self):
        report = json.loads(self.survey("pocl-5.0").read_text())
        report["device"]["name"] = "<b>&\"'\\input{x} 50% $a_b^c~#{}"
        path = self.folder / "a_b%$<c>.json"
        path.write_text(json.dumps(report))
        self.report(path, "--plot", "exp:float", "--svg", "x.svg", "--latex", "x.tex", "--table", "table.tex")
        root = xml.etree.ElementTree.parse(self.folder / "x.svg").getroot()
        self.assertIn("A a_b%$<c>", ["".join(text.itertext()) for text in root.iter(SVG + "text")])
        self.assertIn("<b>&", root.find(SVG + "desc").text)
        self.assert_compiles("x.tex")
        self.assert_compiles("table.tex")

    def assert_compiles(self, name):
        """By pdflatex; without it: what begins ends, and braces are even."""
        text = (self.folder / name).read_text()
        plain = re.sub(r"(?m)%.*$", "", text.replace("\\%", ""))
        stack = []
        for kind, environment in re.findall(r"\\(begin|end)\{(\w+)\}", plain):
            if kind == "begin":
                stack.append(environment)
            else:
                self.assertEqual(stack.pop(), environment)
        self.assertEqual(stack, [])
        braces = re.sub(r"\\[{}]", "", plain)
        self.assertEqual(braces.count("{"), braces.count("}"))
        self.assertTrue(plain.isascii(), [c for c in plain if not c.isascii()])
        if not shutil.which("pdflatex"):
            return
        (self.folder / "document.tex").write_text(DOCUMENT % name)
        for _ in range(2):  # a longtable knows its columns then
            done = subprocess.run(["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "document.tex"], cwd=self.folder,
                                  capture_output=True, check=False, errors="replace", text=True)
            self.assertEqual(done.returncode, 0, done.stdout[-2000:])
        self.assertTrue((self.folder / "document.pdf").read_bytes().startswith(b"%PDF"))

    def test_latex(self):
        files = [self.survey(name) for name in ("pocl-3.1-debian12", "nvidia-580.159.04-h200")]
        self.report(*files, "--plot", "sin:float", "--latex", "sin.tex")
        text = (self.folder / "sin.tex").read_text()
        self.assertEqual(text.count("\\addlegendentry"), 2)
        self.assertEqual(text.count("limit 4 ulp"), 1)
        values = [float(y) for y in re.findall(r"\(-?[\d.]+,([\d.e+-]+)\)", text[:text.index("forget plot")].split("coordinates", 1)[1])]
        self.assertGreater(len(values), 100)
        self.assertTrue(all(1e-2 <= y <= 1e5 for y in values))
        self.assertIn("largest error in ulp", text)
        self.assert_compiles("sin.tex")
        signed = self.changed("signed.json", "rusticl-22.3.6-llvmpipe", self.signed)
        self.report(signed, "--plot", "exp:float", "--latex", "exp.tex")
        self.assertIn("$-2^{", (self.folder / "exp.tex").read_text())
        self.assert_compiles("exp.tex")

    def test_the_table_for_a_paper(self):
        files = [self.survey(name) for name in ("nvidia-580.159.04-h100-exhaustive", "pocl-5.0", "glibc-2.36")]
        self.report(*files, "--table", "table.tex")
        text = (self.folder / "table.tex").read_text()
        for part in ("\\toprule", "\\midrule", "\\bottomrule", "\\begin{longtable}", "A: NVIDIA CUDA"):
            self.assertIn(part, text)
        float_table = text[text.index("functions of float"):text.index("\\end{longtable}")]
        (line,) = re.findall(r"(?m)^\\texttt\{sin\} & .*$", float_table)
        cells = [re.sub(r"\\(?:raggedright|\\)\s*", "", cell).strip() for cell in line.split("&")]
        self.assertEqual(len(cells), 2 + 2 * 3)
        self.assertEqual(cells[1], "4")
        worst = self.result(files[0], "sin", "float")["max_ulp"]
        bold = re.fullmatch(r"\\textbf\{([\d.]+)\}", cells[2])  # every operand was asked
        self.assertTrue(0 <= float(bold[1]) - worst < 1e-4)
        self.assertEqual((cells[3], cells[5]), ("pass", "\\textbf{fail}"))
        self.assert_compiles("table.tex")

    def test_says_what_it_needs(self):
        pocl = self.survey("pocl-5.0")
        short = self.changed("short.json", "pocl-5.0", lambda result: result.pop("binades", None))
        for words, *parts in (
            (("--plot", "sin:float", pocl), "--svg FILE, --latex FILE or --csv FILE"),
            (("--svg", "x.svg", pocl), "--svg needs a function to plot"),
            (("--plot", "sin", "--svg", "x.svg", pocl), "--plot sin:float or --plot sin:double"),
            (("--plot", "sin:half", "--svg", "x.svg", pocl), "sin:float or sin:double"),
            (("--plot", "sinn:float", "--svg", "x.svg", pocl), "did you mean sin"),
            (("--plot", "sinpi:float", "--svg", "x.svg", self.survey("glibc-2.36")), "none of the reports has errors of it in ulp"),
            (("--plot", "sin:float", "--svg", "x.svg", pocl, short), "short.json: the report has no errors by operand",
             "validate --opencl Portable --functions sin --formats float --level standard --full --json report.json"),
        ):
            done = self.report(*words, code=2)
            for part in parts:
                self.assertIn(part, done.stderr)
            self.assertFalse((self.folder / "x.svg").exists())

    def test_the_command_of_the_message_makes_what_is_missing(self):
        assay = str(pathlib.Path(self.options.assay).resolve())
        validate = [assay, "validate", "--library", "libm.so.6", "--functions", "exp", "--formats", "float", "--level", "smoke"]
        subprocess.run([*validate, "--json", "short.json"], cwd=self.folder, check=True, capture_output=True)
        refused = self.report("short.json", "--plot", "exp", "--svg", "x.svg", code=2)
        words = shlex.split(refused.stderr.strip().splitlines()[-1])
        subprocess.run([assay, *words[1:]], cwd=self.folder, check=True, capture_output=True)
        self.report("report.json", "--plot", "exp", "--svg", "x.svg", code=0)
        xml.etree.ElementTree.parse(self.folder / "x.svg")

    def test_a_report_without_the_function_is_named(self):
        glibc = self.survey("glibc-2.36")
        done = self.report(glibc, self.survey("pocl-5.0"), "--plot", "sinpi:float", "--svg", "x.svg")
        self.assertIn("note: glibc-2.36 has no line in the plot of sinpi float", done.stderr)
        self.assertIn("B pocl-5.0", (self.folder / "x.svg").read_text())

    def test_pictures_of_the_documents_are_made_by_their_commands(self):
        """Each command of docs/plots/README.md writes the picture that is committed there."""
        commands = re.findall(r"(?m)^    (?:\./)?assay (report .*)$", (PLOTS / "README.md").read_text())
        written = set()
        for command in commands:
            words = shlex.split(command)
            name = words[words.index("--svg") + 1]
            words[words.index("--svg") + 1] = str(self.folder / "picture.svg")
            done = subprocess.run([str(pathlib.Path(self.options.assay).resolve()), *words], cwd=ROOT, capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            picture = (self.folder / "picture.svg").read_text()
            if os.environ.get("ASSAY_BLESS"):
                (ROOT / name).write_text(picture)
            self.assertEqual((ROOT / name).read_text(), picture, f"{name}: ./dev bless -R ReportPlot")
            written.add((ROOT / name).name)
        self.assertEqual(written, {path.name for path in PLOTS.glob("*.svg")})
        self.assertGreater(len(written), 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--assay", "--surveys"):
        parser.add_argument(name, required=True)
    Plot.options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0]] + rest)
