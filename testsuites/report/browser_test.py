#!/usr/bin/env python3
"""The page of `assay report --html` in a real browser: what it shows, and what can be done with it.

usage: browser_test.py --assay PROGRAM --surveys FOLDER --output FOLDER [unittest's arguments]

Writes pages and screenshots into the output folder. Exit code 77: no browser is installed.
"""

import re

from page_case import HOSTILE, ROW, PageCase, main


class Page(PageCase):
    def test_failures_come_first(self):
        self.browser.open(self.five)
        verdicts = self.browser.run(
            "return [...document.querySelectorAll(arguments[0])].map((row) => ['fail', 'not_measured', 'pass']"
            ".findIndex((name) => row.querySelector(`.verdict.${name}`)))", ROW)
        self.assertEqual(verdicts[0], 0)
        self.assertEqual(verdicts, sorted(verdicts, key=lambda one: one if one >= 0 else 9))
        self.assertGreater(len(set(verdicts)), 1)
        self.assertIn("✓ pass, ✕ fail", self.browser.texts("#signs-note")[0])
        self.browser.choose("#sort", "report")
        self.assertEqual(self.names(), [row["f"] for row in self.browser.data()["rows"]])

    def test_filters_by_reason(self):
        self.browser.open(self.two)
        reasons = self.browser.run("return [...document.querySelectorAll('#why option')].map((one) => one.textContent)")
        self.assertEqual(reasons[0], "all")
        (wanted,) = [text for text in reasons if text.startswith("wrong sign of zero")]
        count = int(re.search(r"\((\d+)\)$", wanted)[1])
        self.browser.choose("#why", "wrong sign of zero")
        self.assertEqual(len(self.names()), count)
        self.assertTrue(all("wrong sign of zero" in text for text in self.browser.texts(f"{ROW} .why")))
        self.assertIn("why=wrong+sign+of+zero", self.browser.address())
        self.browser.choose("#show-0", False)
        self.assertLess(len(self.names()), count)
        self.assertGreater(len(self.names()), 0)

    def test_says_what_a_plot_lacks(self):
        self.browser.open(self.short, "#f=exp.float")
        lacking = self.browser.texts("#detail .lacking")
        self.assertEqual(len(lacking), 1)
        self.assertIn("A short has no errors by operand", lacking[0])
        self.assertIn("--functions exp --formats float --level standard --full --json", lacking[0])
        self.assertEqual(len(self.browser.all(".plot path.series:not(.beyond)")), 1)
        self.browser.open(self.short, "#f=exp.float&devices=A")
        self.assertEqual(len(self.browser.texts("#detail .lacking")), 1)
        self.assertNotIn("nothing to plot", self.browser.one("#detail").text)

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
              const counted = row.r.filter((result) => result && result.o).length;
              const bars = [...detail.querySelectorAll(".histogram tbody tr")].map((line) => line.querySelectorAll("td").length);
              if (bars.length !== counted || bars.some((number) => number !== 7)) missing.push(`${rowKey(row)}: histogram`);
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
        self.browser.open(self.five, "#sort=report")
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

    def test_one_device(self):
        self.browser.open(self.one)
        self.assertEqual(
            self.browser.texts("#table thead th[data-key]"),
            ["function", "format", "limit", "max ulp", "verdict", "why", "input", "inputs"],
        )
        self.assertEqual(self.browser.texts("#different-label"), [])
        self.shown("one")

    def test_says_why_a_row_fails(self):
        self.browser.open(self.signed)
        cells = self.browser.texts(f'{self.row("exp.float")} td')
        why = "NaN and number confused"
        self.assertTrue(any(why in cell for cell in cells), cells)
        self.assertIn("-2", cells)
        self.assertEqual(self.browser.one(f'{self.row("exp.float")} code').get_attribute("title"), "0xc0000000")
        self.browser.open(self.signed, "#f=exp.float")
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


if __name__ == "__main__":
    main(__doc__)
