#!/usr/bin/env python3
"""How the pages look in a real browser: widths, themes, paper; and the README's picture.

usage: layout_test.py --assay PROGRAM --surveys FOLDER --output FOLDER [unittest's arguments]

Writes pages and screenshots into the output folder. With ASSAY_BLESS=1 in the environment it also writes the
README's picture (./dev bless -R ReportPage). Exit code 77: no browser is installed.
"""

import os
import pathlib
import re
import struct
import subprocess

from page_case import FIVE, ROW, PageCase, main

PICTURE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/report.png"


class Layout(PageCase):
    def assert_whole(self, name, *selectors):
        """No box has hidden text, and no word is on two lines; names may be broken behind a hyphen or a comma."""
        cut = self.browser.run(
            """
            const cut = [];
            for (const box of document.querySelectorAll(".scroll, #filters, #detail, td, th, h1, h2, h3, select")) {
              if (!box.checkVisibility()) continue;
              const spills = getComputedStyle(box).overflowX === "visible" ? 0 : box.scrollWidth - box.clientWidth;
              if (spills > 1) cut.push(`${box.tagName}.${box.className}: ${spills} pixels`);
            }
            const words = document.createRange();
            for (const part of arguments[0].flatMap((selector) => [...document.querySelectorAll(selector)].slice(0, 60))) {
              const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
              while (walker.nextNode()) {
                const node = walker.currentNode;
                if (node.parentElement.closest(".unseen, svg, option, .word, details:not([open])") || !part.checkVisibility()) continue;
                for (const match of node.data.matchAll(/[^\\s,-]+/g)) {
                  if (match[0].includes("/")) continue; // a path can be longer than a line
                  words.setStart(node, match.index);
                  words.setEnd(node, match.index + match[0].length);
                  const lines = new Set([...words.getClientRects()].filter((rect) => rect.width > 0).map((rect) => Math.round(rect.top)));
                  if (lines.size > 1) cut.push(`${match[0]} is on ${lines.size} lines`);
                }
              }
            }
            return [...new Set(cut)];
            """,
            list(selectors),
        )
        self.assertEqual(cut, [], name)

    def test_nothing_is_cut(self):
        """1, 2 and 9 reports, with the panel and without, on a screen and on a phone: a picture of each."""
        nine = self.output / "many.html"
        surveys = pathlib.Path(self.options.surveys)
        names = FIVE + ["cuda-math-13.0-h100", "intel-cpu-2026.22.10", "llvm-libc-22.1.8", "musl-1.2.3"]
        self.report(nine.name, *(surveys / f"{name}.json" for name in sorted(names)))
        pages = {"one": self.one, "two": self.two, "nine": nine}
        for name, page in pages.items():
            for width, height in ((1280, 900), (390, 844)):
                self.browser.set_size(width, height, mobile=width < 400)
                for scheme in ("light", "dark"):
                    self.browser.emulate(scheme=scheme)
                    for panel in ("", "remquo.float"):
                        shot = f"{name}-{width}-{scheme}{'-panel' if panel else ''}"
                        self.browser.open(page, f"#f={panel}")
                        self.browser.pause(100)
                        self.assert_no_overflow()
                        self.assert_whole(shot, "#filters", "#overview", "#table tr:not([hidden])", "#detail")
                        self.shown(shot)

    def test_pages_without_a_script_have_the_same_design(self):
        """The page of a run, and the table of largest errors."""
        design = ("const body = getComputedStyle(document.body), title = getComputedStyle(document.querySelector('h1'));"
                  "return [body.fontFamily, body.color, body.backgroundColor, title.fontSize]")
        root = pathlib.Path(__file__).resolve().parents[2]
        surveys = pathlib.Path(self.options.surveys)
        table, run = self.output / "worst.html", self.output / "run.html"
        for page, command in (
            (table, ["report", *(surveys / f"{name}.json" for name in FIVE), "--table", table]),
            (run, ["run", root / "docs/examples/saxpy.cl", "-g", "8", "-a", "float=2.5", "-a", "float[8]=range(0,1)",
                   "-a", "float[7]=1", "--html", run]),
        ):
            done = subprocess.run([self.options.assay, *map(str, command)], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            for width, scheme in ((1280, "light"), (390, "dark")):
                self.browser.set_size(width, 844, mobile=width < 400)
                self.browser.emulate(scheme=scheme)
                self.browser.open(self.one)
                expected = self.browser.run(design)
                self.browser.driver.get(f"file://{page}")
                self.assertEqual(self.browser.run(design), expected)
                self.assert_no_overflow()
                self.assertEqual(self.browser.run("return document.querySelectorAll('script').length"), 0)
                self.assertEqual(self.browser.run("return visualViewport.width <= arguments[0]", width), True)
                if page == run:
                    self.assert_whole(page.name, "table", "pre")
                self.shown(f"{page.stem}-{width}-{scheme}")

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

    def test_nine_reports_have_nine_colors(self):
        for theme in ("light", "dark"):
            self.browser.open(self.nine, f"#f=exp.float&theme={theme}")
            colors = self.browser.run(
                "return [...document.querySelectorAll('#overview .swatch')].map((e) => getComputedStyle(e).backgroundColor)"
            )
            self.assertEqual(len(colors), 9)
            self.assertEqual(len(set(colors)), 9)

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


if __name__ == "__main__":
    main(__doc__)
