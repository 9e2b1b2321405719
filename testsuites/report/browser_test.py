#!/usr/bin/env python3
"""The page of `assay report --html` in a real browser.

usage: browser_test.py --assay PROGRAM --surveys FOLDER --output FOLDER [unittest's arguments]

Writes pages and screenshots into the output folder. With ASSAY_BLESS=1 in the environment it also writes the
README's picture (./dev bless -R ReportPage). Exit code 77: no browser is installed.
"""

import argparse
import json
import os
import pathlib
import re
import struct
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
PICTURE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/report.png"
HOSTILE = "</script><img src=x onerror=\"window.harmed=1\"><b>&amp;"
ROW = "#table tbody tr:not([hidden])"


class Page(unittest.TestCase):
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

    def test_opens_as_one_small_file(self):
        seconds = self.browser.open(self.five)
        size = self.five.stat().st_size
        print(f"\n5 devices, 251 operations: {size / 1e6:.2f} MB, opened in {seconds:.2f} s")
        self.assertLess(size, 5e6)
        self.assertEqual(len(self.names()), 251)
        self.assertEqual(len(self.browser.texts("#overview tbody tr")), 5)
        loaded = self.browser.run("return performance.getEntriesByType('resource').length")
        self.assertEqual(loaded, 0)
        self.shown("light")

    def test_counts_are_those_of_the_program(self):
        self.browser.open(self.five)
        cells = self.browser.texts("#overview tbody tr:nth-child(3) .count")
        self.assertEqual(cells, ["223", "28", "0", "0"])
        self.assertEqual(len(self.names()), len(self.browser.data()["rows"]))

    def test_sorts_by_every_column(self):
        self.browser.open(self.five)
        heads = self.browser.texts("#table thead th[data-key]")
        self.assertEqual(len(heads), 3 + 2 * 5)
        for i in range(len(heads)):
            orders = []
            for _ in range(2):
                self.browser.run(
                    "document.querySelectorAll('#table thead th[data-key] button')[arguments[0]].click()", i
                )
                head = self.browser.all("#table thead th[data-key]")[i]
                orders.append((head.get_attribute("aria-sort"), self.browser.texts(ROW)))
            self.assertEqual({orders[0][0], orders[1][0]}, {"ascending", "descending"})
            self.assertNotEqual(orders[0][1], orders[1][1])
            self.assertEqual(sorted(orders[0][1]), sorted(orders[1][1]))
        self.browser.choose("#sort", "ulp-C")
        self.browser.choose("#descending", True)
        shown = self.browser.texts(f"{ROW} td:nth-child(8)")
        numbers = [float("inf") if t == "∞" else float(t) if t else -1 for t in shown]
        self.assertEqual(numbers, sorted(numbers, reverse=True))
        self.assertEqual(numbers[0], float("inf"))
        self.shown("sorted")

    def test_filters(self):
        self.browser.open(self.five)
        self.browser.one("#filter").send_keys("sin double")
        self.assertIn("sin", self.names())
        self.assertTrue(all("sin" in name for name in self.names()))
        self.assertIn("of 251 operations", self.browser.one("#shown").text)
        self.assertIn("q=sin+double", self.browser.address())
        self.browser.open(self.five)
        self.browser.choose("#verdict", "fail")
        failing = len(self.names())
        self.assertEqual(failing, sum("fail" in text for text in self.browser.texts(ROW)))
        self.assertGreater(failing, 0)
        self.browser.choose("#format", "double")
        self.assertLess(len(self.names()), failing)
        self.browser.choose("#verdict", "")
        self.browser.choose("#format", "")
        self.browser.choose("#group", "native_")
        self.assertTrue(all(name.startswith("native_") for name in self.names()))
        self.browser.choose("#group", "")
        self.browser.choose("#different", True)
        self.assertGreater(len(self.names()), 0)
        self.assertLess(len(self.names()), 251)

    def test_switches_devices_and_profile(self):
        self.browser.open(self.five)
        for index in (0, 1, 3, 4):
            self.browser.choose(f"#show-{index}", False)
        self.assertEqual(len(self.browser.texts("#table thead th[data-key]")), 8)
        self.assertIn("devices=C", self.browser.address())
        exp = self.row("exp.float")
        self.assertNotIn("derived", " ".join(self.browser.texts(ROW)))
        self.assertEqual(self.browser.texts(f"{exp} td:nth-child(3)"), ["3"])
        self.browser.run("document.querySelector('input[value=embedded]').click()")
        self.assertEqual(self.browser.texts(f"{exp} td:nth-child(3)"), ["4"])
        self.assertTrue(all("derived" in text or text == "not asked" for text in self.browser.texts(f"{ROW} .verdict")))
        self.assertEqual(len(self.browser.texts("#derived-note")), 1)
        self.shown("embedded")

    def test_every_function_has_its_plot(self):
        """Opened one after the other, with lines, histogram, and the limit drawn where it is a number."""
        self.browser.open(self.five)
        missing = self.browser.run(
            """
            const missing = [];
            for (const row of data.rows) {
              openRow(rowKey(row));
              const measured = row.r.filter((result) => result && result.b).length;
              const lines = new Set([...detail.querySelectorAll(".plot path.series")].map((path) => path.classList[1]));
              const finite = row.r.some((result) => result && result.b && limitOf(result).ulp !== null);
              const limit = detail.querySelector(".plot .limit-text");
              if (lines.size !== measured) missing.push(`${rowKey(row)}: ${lines.size} lines of ${measured}`);
              if (measured > 0 && Boolean(limit) !== finite) missing.push(`${rowKey(row)}: limit`);
              if (measured > 0 && detail.querySelectorAll(".histogram tbody tr").length !== 7) missing.push(`${rowKey(row)}: histogram`);
              const failing = row.r.filter((result) => result && result.c).length;
              if (detail.querySelectorAll(".device details .sighting pre").length < failing) missing.push(`${rowKey(row)}: failures`);
            }
            return missing;
            """
        )
        self.assertEqual(missing, [])

    def test_a_link_leads_to_a_function(self):
        self.browser.open(self.five, "#f=exp.double&devices=C,D&sort=ulp-C&descending=1")
        self.assertEqual(self.browser.one("#detail-title").text, "exp double")
        self.assertEqual(self.browser.texts("#table .groups th"), ["C pocl-3.1-debian12", "D pocl-5.0"])
        text = self.browser.one("#detail").text
        for part in (
            "limit 3",
            "2261.894 ulp; error over the limit",
            "0x40862e42fefa39ed",
            "0x1.62e42fefa39edp+9",
            "assay validate --opencl Portable --functions exp --formats double --at 0x40862e42fefa39ed",
        ):
            self.assertIn(part, text)
        self.shown("detail")
        self.browser.run("location.hash = 'f=sin.float'")
        self.browser.pause(50)
        self.assertEqual(self.browser.one("#detail-title").text, "sin float")
        self.assertEqual(len(self.browser.all(".plot .beyond")), 2)

    def test_keyboard(self):
        self.browser.open(self.five)
        self.browser.type("/")
        self.browser.type("sinh")
        self.assertEqual(self.names(), ["asinh", "asinh", "sinh", "sinh"])
        self.browser.press("ARROW_DOWN")
        self.assertEqual(self.browser.focused(), "asinh")
        self.browser.press("END", "ARROW_UP", "ENTER")
        self.assertEqual(self.browser.one("#detail-title").text, "sinh float")
        self.browser.press("ARROW_DOWN")
        self.assertEqual(self.browser.one("#detail-title").text, "sinh double")
        self.browser.run("document.querySelector('.plot').focus()")
        before = self.browser.one(".readout").text
        self.browser.press("ARROW_RIGHT")
        self.assertNotEqual(self.browser.one(".readout").text, before)
        self.assertIn("ulp", self.browser.one(".plot").get_attribute("aria-valuetext"))
        self.browser.press("ESCAPE")
        self.assertFalse(self.browser.one("#detail").is_displayed())
        self.assertEqual(self.browser.focused(), "sinh")
        self.browser.type("?")
        self.assertTrue(self.browser.one("#help").is_displayed())
        self.shown("help")
        self.browser.press("ESCAPE")
        self.assertFalse(self.browser.one("#help").is_displayed())

    def test_everything_has_a_name_and_focus_is_seen(self):
        self.browser.open(self.five, "#f=exp.double")
        nameless = self.browser.run(
            """return [...document.querySelectorAll("button, input, select, a, [tabindex='0']")].filter((e) =>
                 !(e.textContent.trim() || e.getAttribute("aria-label") || e.closest("label") || e.labels?.length))
               .map((e) => e.outerHTML)"""
        )
        self.assertEqual(nameless, [])
        self.browser.press("TAB")
        self.browser.open(self.five)
        self.browser.press("TAB")
        self.assertEqual(self.browser.focused(), "Skip to the table")
        style = self.browser.run("return getComputedStyle(document.activeElement).outlineStyle")
        self.assertEqual(style, "solid")

    def test_changes_between_versions(self):
        # Haswell's code and AVX-512's are no versions of each other.
        self.browser.open(self.five)
        self.assertEqual(self.browser.texts("#changes summary"), [])
        self.browser.open(self.versions)
        self.assertIn("5 newly failing", self.browser.one("#changes summary").text)
        self.browser.one("#changes summary").click()
        rows = self.browser.texts("#changes tbody tr")
        self.assertEqual(len(rows), 8)
        self.assertIn("pow double", rows[1])
        self.assertEqual(self.browser.texts("#changes tbody pre"), [])
        self.browser.one("#changes tbody summary").click()
        self.assertIn("assay validate --opencl Portable", self.browser.texts("#changes tbody pre")[0])
        self.shown("changes")
        self.browser.one("#changes tbody a").click()
        self.assertEqual(self.browser.one("#detail-title").text, "frexp double")

    def test_names_stay_text(self):
        self.browser.open(self.hostile, "#f=add.float")
        self.assertIsNone(self.browser.run("return window.harmed"))
        self.assertEqual(self.browser.all("img, b"), [])
        self.assertIn(HOSTILE, self.browser.one("#overview").text)
        self.assertIn(HOSTILE, self.browser.one("#detail").text)
        # The policy would stop a script all the same.
        self.browser.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.harmed=1\">')")
        self.browser.pause(100)
        self.assertIsNone(self.browser.run("return window.harmed"))
        refused = self.browser.console()
        self.assertTrue(any("Content Security Policy" in line for line in refused), refused)

    def luminance(self, color):
        channels = [int(text) / 255 for text in re.findall(r"\d+", color)[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def assert_contrast(self):
        """WCAG 2.2, 1.4.3: 4.5 to 1 for text."""
        self.browser.choose("#verdict", "")
        for selector in (f"{ROW} .pass", f"{ROW} .fail", f"{ROW} .unsupported", ".not_measured", ".muted", "#table a"):
            color, back = self.browser.run(
                "const e = document.querySelector(arguments[0]);"
                "return [getComputedStyle(e).color, getComputedStyle(document.body).backgroundColor]",
                selector,
            )
            light, dark = sorted([self.luminance(color), self.luminance(back)], reverse=True)
            self.assertGreaterEqual((light + 0.05) / (dark + 0.05), 4.5, selector)

    def back(self):
        return self.luminance(self.browser.run("return getComputedStyle(document.body).backgroundColor"))

    def test_dark_and_light(self):
        self.browser.emulate(scheme="dark")
        self.browser.open(self.five, "#f=exp.double")
        self.assertLess(self.back(), 0.05)
        self.assert_contrast()
        self.shown("dark")
        self.browser.emulate(scheme="light")
        self.assertGreater(self.back(), 0.9)
        self.assert_contrast()
        self.browser.one("#theme").click()
        self.assertLess(self.back(), 0.05)
        self.browser.one("#theme").click()
        self.assertGreater(self.back(), 0.9)

    def test_at_the_width_of_a_phone(self):
        self.browser.set_size(375, 812, mobile=True)
        for page in (self.five, self.one, self.hostile):
            self.browser.open(page)
            self.assert_no_overflow()
        self.browser.open(self.five)
        self.shown("phone")
        self.browser.run("document.querySelector('#table').scrollIntoView()")
        self.shown("phone-table")
        for function in ("exp.double", "pow.double", "fma.double"):
            self.browser.open(self.five, f"#f={function}")
            self.assert_no_overflow()
            spread = self.browser.run("return [detail.scrollWidth, detail.clientWidth]")
            self.assertLessEqual(spread[0], spread[1])
        self.browser.open(self.five, "#f=exp.double")
        self.shown("phone-detail")
        self.browser.run("document.querySelector('.sighting').scrollIntoView()")
        self.shown("phone-worst")

    def test_prints_the_whole_table(self):
        self.browser.open(self.five, "#q=sinh")
        self.assertEqual(len(self.names()), 4)
        pdf = self.browser.print_to_pdf()
        (self.output / "five.pdf").write_bytes(pdf)
        self.assertTrue(pdf.startswith(b"%PDF"))
        self.browser.emulate(media="print")
        self.assertEqual(len(self.browser.texts("#table tbody a")), 251)
        for selector in ("#filters", ".buttons", ".skip", "#show-0"):
            self.assertEqual(self.browser.texts(selector), [], selector)
        self.shown("print")
        self.browser.open(self.five, "#theme=dark")
        self.assertGreater(self.back(), 0.9)
        self.browser.emulate(media="screen")
        self.assertLess(self.back(), 0.05)

    def test_one_device(self):
        self.browser.open(self.one)
        self.assertEqual(
            self.browser.texts("#table thead th[data-key]"),
            ["function", "format", "limit", "max ulp", "verdict", "why", "input", "inputs"],
        )
        self.assertEqual(self.browser.texts("#different-label"), [])
        self.shown("one")

    def test_nine_reports_have_nine_colors(self):
        for theme in ("light", "dark"):
            self.browser.open(self.nine, f"#f=exp.float&theme={theme}")
            colors = self.browser.run(
                "return [...document.querySelectorAll('#overview .swatch')].map((e) => getComputedStyle(e).backgroundColor)"
            )
            self.assertEqual(len(colors), 9)
            self.assertEqual(len(set(colors)), 9)

    def test_says_why_a_row_fails(self):
        self.browser.open(self.signed, "#f=exp.float")
        cells = self.browser.texts(f'{self.row("exp.float")} td')
        why = "NaN and number confused"
        self.assertTrue(any(why in cell for cell in cells), cells)
        self.assertIn("-2", cells)
        self.assertEqual(self.browser.one(f'{self.row("exp.float")} code').get_attribute("title"), "0xc0000000")
        first = self.browser.texts("#detail .sighting h4")[0]
        self.assertIn("First failure", first)
        self.assertIn(why, first)
        self.assertIn("2026-11-22T17:05:00Z on lab", self.browser.one("#overview").text)
        self.assertIn("assay validate -x", self.browser.one("#overview").text)

    def test_plots_signs_and_widths(self):
        self.browser.open(self.signed, "#f=exp.float")
        self.assertEqual(len(self.browser.all(".plot path.series")), 2)
        self.assertEqual(len(self.browser.all(".plot circle.wide")), 2)
        self.browser.run("document.querySelector('.plot').focus()")
        self.assertEqual(self.browser.one(".readout").text, "2⁰: A 0.5 ulp")
        self.browser.press("ARROW_RIGHT")
        self.assertEqual(self.browser.one(".readout").text, "2¹: A 1 ulp in width 4")
        self.browser.press("HOME")
        self.assertEqual(self.browser.one(".readout").text, "−2¹: A no input")
        self.browser.press("ARROW_RIGHT")
        self.assertEqual(self.browser.one(".readout").text, "−2⁰: A 2.5 ulp in width 8")
        self.shown("signs")

    def test_functions_of_two_operands_have_a_map(self):
        self.browser.open(self.signed, "#f=add.float")
        titles = self.browser.run("return [...document.querySelectorAll('.plane .cell title')].map((t) => t.textContent)")
        self.assertEqual(len(titles), 2)
        self.assertIn("0.5 ulp", titles[1])
        self.assertIn("first operand −2⁻⁹", titles[0])
        self.assertIn("wrong class in width 4", titles[0])
        self.assertEqual(len(self.browser.all(".plane .cell.over")), 1)
        self.assert_no_overflow()
        self.shown("map")
        self.browser.open(self.signed, "#f=exp.float")
        self.assertEqual(self.browser.all(".plane"), [])

    def test_commands_can_be_copied(self):
        self.browser.open(self.five, "#f=exp.double")
        self.browser.one("#detail .copy").click()
        self.browser.pause(100)
        self.assertIn(self.browser.one("#detail .copy").text, ("Copied", "Selected"))

    def test_the_picture_of_the_readme(self):
        """The committed picture is not compared with the page: fonts differ between machines."""
        size = 1280, 700
        self.browser.set_size(*size, mobile=False)
        self.browser.open(self.two, "#f=sin.float")
        self.assertEqual(self.browser.one("#detail-title").text, "sin float")
        self.assertIn("limit 4", self.browser.one(".plot").text)
        self.shown("readme")
        if os.environ.get("ASSAY_BLESS"):
            self.browser.screenshot(PICTURE)
        picture = PICTURE.read_bytes()
        self.assertTrue(picture.startswith(b"\x89PNG"))
        self.assertEqual(struct.unpack(">II", picture[16:24]), size)
        self.assertLess(len(picture), 150_000)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--assay", "--surveys", "--output"):
        parser.add_argument(name, required=True)
    Page.options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0]] + rest)
