"""What tests of the pages share: reports, the pages made of them, and a browser."""

import argparse
import json
import pathlib
import subprocess
import sys
import unittest

try:
    from browser import Browser
except ImportError as error:
    print(f"skipped: {error}; ./dev setup installs chromium-driver and python3-selenium")
    sys.exit(77)

FIVE = [
    "glibc-2.36",
    "nvidia-580.159.04-h200",
    "pocl-3.1-debian12",
    "pocl-5.0",
    "rusticl-22.3.6-llvmpipe",
]
HOSTILE = "</script><img src=x onerror=\"window.harmed=1\"><b>&amp;"
ROW = "#table tbody tr:not([hidden])"


class PageCase(unittest.TestCase):
    options = None
    browser = None

    @classmethod
    def setUpClass(cls):
        cls.output = pathlib.Path(cls.options.output).resolve()
        cls.output.mkdir(parents=True, exist_ok=True)
        surveys = [pathlib.Path(cls.options.surveys) / f"{name}.json" for name in FIVE]
        cls.five = cls.report("five.html", *surveys)
        cls.two = cls.report("two.html", surveys[2], surveys[1])
        cls.one = cls.report("one.html", surveys[4])
        cls.versions = cls.report("versions.html", surveys[2], cls.same_code(surveys[3], surveys[2]))
        cls.nine = cls.report("nine.html", *cls.copies(surveys[4], 9))
        cls.signed = cls.report("signed.html", cls.signed_report(surveys[4]))
        cls.hostile = cls.report("hostile.html", cls.hostile_report(surveys[4]))
        cls.short = cls.report("short.html", cls.without_binades(surveys[4]), surveys[2])
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    @classmethod
    def report(cls, name, *files):
        page = cls.output / name
        command = [cls.options.assay, "report", *map(str, files), "--html", str(page)]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ran.returncode in (0, 1), ran.stderr
        return page

    @classmethod
    def same_code(cls, survey, other):
        """A survey as if it were of the code of the other one's device."""
        report = json.loads(survey.read_text())
        report["device"]["device_version"] = json.loads(other.read_text())["device"]["device_version"]
        path = cls.output / "same_code.json"
        path.write_text(json.dumps(report))
        return path

    @classmethod
    def copies(cls, survey, count):
        report = json.loads(survey.read_text())
        report["results"] = report["results"][:12]
        for i in range(count):
            path = cls.output / f"copy{i}.json"
            path.write_text(json.dumps(report))
            yield path

    @classmethod
    def signed_report(cls, survey):
        """What reports of earlier versions do not have: signs, widths, the plane, the origin; and a failure
        beside a largest error that conforms."""
        report = json.loads(survey.read_text())
        report["run"]["origin"] = {"date": "2026-11-22T17:05:00Z", "host": "lab", "command": "assay validate -x"}
        results = {(r["function"], r["format"]): r for r in report["results"]}
        exp = results["exp", "float"]
        exp["binades"] = [[0, 9, 2.5, [4, 0.5, 1], [5, 2.5, 8]], [1, 3, 1, [3, 1, 4], [0, 0, 0]]]
        exp["verdict"] = "fail"
        exp["failure_count"] = 1
        exp["failures_by_width"] = {"1": 1}
        wrong = {key: value for key, value in exp["worst"].items() if key != "rule"}
        exp["worst"] = dict(wrong)
        exp["failures"] = [{**wrong, "args": ["0xc0000000"], "ulp": None, "observed": "0x7fc00000",
                            "rule": "NaN and number confused"}]
        add = results["add", "float"]
        add["plane"] = [[1, 16, 9, 0.5, 1], [-3, 2, 4, "inf", 4]]
        path = cls.output / "signed.json"
        path.write_text(json.dumps(report))
        return path

    @classmethod
    def without_binades(cls, survey):
        """What `assay validate` writes without --full."""
        report = json.loads(survey.read_text())
        for result in report["results"]:
            result.pop("binades", None)
            result.pop("plane", None)
        path = cls.output / "short.json"
        path.write_text(json.dumps(report))
        return path

    @classmethod
    def hostile_report(cls, survey):
        """Markup wherever a driver or a file can put text."""
        report = json.loads(survey.read_text())
        for key in ("name", "platform", "driver_version", "device_version"):
            report["device"][key] = HOSTILE
        report["run"]["device_option"] = HOSTILE
        report["results"][0]["verdict"] = "not_measured"
        report["results"][0]["message"] = HOSTILE
        path = cls.output / "hostile <img src=x onerror=harmed=1>.json"
        path.write_text(json.dumps(report))
        return path

    def setUp(self):
        self.browser.reset()

    def tearDown(self):
        self.assertEqual(self.browser.console(), [])

    def shown(self, name):
        self.browser.screenshot(self.output / f"{name}.png")

    def names(self):
        return self.browser.texts(f"{ROW} a")

    def row(self, key):
        return f'#table tbody tr[data-key="{key}"]'

    def assert_no_overflow(self):
        width, room = self.browser.run(
            "return [document.scrollingElement.scrollWidth, document.documentElement.clientWidth]"
        )
        self.assertLessEqual(width, room)


def main(description):
    parser = argparse.ArgumentParser(description=description)
    for name in ("--assay", "--surveys", "--output"):
        parser.add_argument(name, required=True)
    PageCase.options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0]] + rest)
