"""A headless Chromium for the tests of the report's page (Debian: chromium-driver, python3-selenium)."""

import base64
import json
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

# Nothing that the page does not ask for: no updates, no first-run pages, no network of its own.
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class Browser:
    def __init__(self, width=1440, height=900):
        self.profile = tempfile.TemporaryDirectory()
        options = Options()
        for argument in ARGUMENTS + [
            f"--user-data-dir={self.profile.name}",
            f"--window-size={width},{height}",
        ]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))

    def close(self):
        self.driver.quit()
        self.profile.cleanup()

    def open(self, path, address=""):
        """Loads the page afresh; returns the seconds until its script was through and it was drawn."""
        self.driver.get("about:blank")
        self.console()
        begin = time.monotonic()
        self.driver.get(f"file://{path}{address}")
        self.run("return document.body.offsetHeight")
        assert self.run("return document.documentElement.dataset.ready") == "1", self.console()
        return time.monotonic() - begin

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        """Of all elements that are shown; one call, because a table has thousands."""
        return self.run(
            "return [...document.querySelectorAll(arguments[0])]"
            ".filter((e) => e.checkVisibility()).map((e) => e.textContent)",
            selector,
        )

    def choose(self, selector, value):
        """A value for a select or a checkbox, told to the page as a person's choice is."""
        self.run(
            "const e = document.querySelector(arguments[0]);"
            "if (typeof arguments[1] === 'boolean') e.checked = arguments[1]; else e.value = arguments[1];"
            "e.dispatchEvent(new Event('change', {bubbles: true}));",
            selector,
            value,
        )

    def type(self, text):
        webdriver.ActionChains(self.driver).send_keys(text).perform()

    def press(self, *names):
        for name in names:
            self.type(getattr(Keys, name))

    def focused(self):
        return self.run("return document.activeElement.textContent || document.activeElement.id")

    def console(self):
        """What the page wrote to the console since the last call, but for what drivers do themselves."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def developer_tools(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def emulate(self, media="", scheme=""):
        features = [{"name": "prefers-color-scheme", "value": scheme}] if scheme else []
        self.developer_tools("Emulation.setEmulatedMedia", media=media, features=features)

    def set_size(self, width, height, mobile):
        self.developer_tools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if mobile else 1,
            mobile=mobile,
        )

    def reset(self):
        self.emulate()
        self.developer_tools("Emulation.clearDeviceMetricsOverride")

    def print_to_pdf(self):
        answer = self.developer_tools("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        return base64.b64decode(answer["data"])

    def screenshot(self, path):
        self.driver.save_screenshot(str(path))

    def pause(self, milliseconds):
        self.run("return new Promise((done) => setTimeout(done, arguments[0]))", milliseconds)

    def address(self):
        """After the pause that the page makes before it changes it."""
        self.pause(400)
        return self.driver.current_url

    def data(self):
        return json.loads(self.run("return document.getElementById('data').textContent"))
