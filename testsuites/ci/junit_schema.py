"""The schema of JUnit files that Jenkins' xUnit plugin states (junit-10.xsd), and what GitLab reads of them.

Elements with their attributes (True: it must be there) and with the elements that they may contain, in any order.
"""

import re
import xml.etree.ElementTree

NUMBER = re.compile(r"\d+")
SECONDS = re.compile(r"\d+(\.\d+)?")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")  # without a zone
ANY = re.compile(r".*", re.DOTALL)

COUNTS = {name: (NUMBER, False) for name in ("tests", "failures", "errors", "skipped")}
ELEMENTS = {
    "testsuites": ({"name": (ANY, False), "time": (SECONDS, False), **COUNTS}, {"testsuite"}),
    "testsuite": ({"name": (ANY, True), "time": (SECONDS, False), "timestamp": (TIME, False),
                   "hostname": (ANY, False), **COUNTS, "tests": (NUMBER, True)},
                  {"properties", "testcase", "testsuite", "system-out", "system-err"}),
    "properties": ({}, {"property"}),
    "property": ({"name": (ANY, True), "value": (ANY, True)}, set()),
    "testcase": ({"name": (ANY, True), "classname": (ANY, True), "time": (SECONDS, False)},
                 {"skipped", "error", "failure", "system-out", "system-err"}),
    "failure": ({"message": (ANY, True), "type": (ANY, False)}, set()),
    "error": ({"message": (ANY, True), "type": (ANY, False)}, set()),
    "skipped": ({"message": (ANY, False)}, set()),
    "system-out": ({}, set()),
    "system-err": ({}, set()),
}
COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def mistakes_in(element, path):
    where = f"{path}/{element.tag}"
    attributes, children = ELEMENTS[element.tag]
    for name, value in element.attrib.items():
        if name not in attributes:
            yield f"{where}: unknown attribute {name}"
        elif not attributes[name][0].fullmatch(value):
            yield f"{where}: {name}={value!r}"
    for name, (_, required) in attributes.items():
        if required and name not in element.attrib:
            yield f"{where}: {name} is missing"
    for child in element:
        if child.tag not in children:
            yield f"{where}: {child.tag} cannot be in it"
        else:
            yield from mistakes_in(child, where)
    if element.tag == "testsuite":
        yield from wrong_counts(element, where)


def wrong_counts(suite, where):
    cases = suite.findall("testcase")
    counts = {"tests": len(cases)}
    for attribute, tag in COUNTED.items():
        counts[attribute] = sum(1 for case in cases if case.find(tag) is not None)
    for name, count in counts.items():
        if suite.get(name) != str(count):
            yield f"{where}: {name}={suite.get(name)}, but there are {count}"
    for case in cases:
        results = [child.tag for child in case if child.tag in COUNTED.values()]
        if len(results) > 1:
            yield f"{where}: the case {case.get('name')} has {results}"


def check(path):
    """The mistakes of a file, and its suites."""
    root = xml.etree.ElementTree.parse(path).getroot()
    if root.tag not in ("testsuites", "testsuite"):
        return [f"the root is {root.tag}"], []
    return list(mistakes_in(root, "")), list(root.iter("testsuite"))
