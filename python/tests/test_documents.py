"""The Python of docs/python.md runs, in one session from top to bottom; what is promised elsewhere
is there.
"""

import ast
import inspect
import pathlib
import re

import numpy as np

import assay

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "python.md"


def blocks():
    """The indented blocks, without their indentation."""
    text = re.sub(r"^```.*?^```", "", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    for block in re.findall(r"(?:^    .*\n|^ *\n(?=    ))+", text, re.MULTILINE):
        yield "\n".join(line[4:] for line in block.splitlines()).strip("\n")


def is_python(block):
    try:
        tree = ast.parse(block)
    except SyntaxError:
        return False
    return any(isinstance(node, (ast.Import, ast.Assign)) for node in tree.body)


def test_the_page_runs(capsys):
    names = {}
    ran = 0
    for block in blocks():
        if is_python(block) and "assay_kernel" not in block:
            exec(compile(block, PAGE.name, "exec"), names)
            ran += 1
    assert ran >= 2 and (names["y"] == 1 + 2.5 * names["x"]).all() and names["result"]


def test_the_readme_runs(monkeypatch):
    monkeypatch.chdir(ROOT)
    names, shown = {}, 0
    session = re.findall(
        r"^    >>> (.*)\n(?:    (?!>>> )(.*)\n)?", (ROOT / "README.md").read_text(), re.M
    )
    for line, expected in session:
        if line.startswith(("import ", "x = ")):
            exec(line, names)
        else:
            value = eval(line, names)
            assert not expected or repr(value) == expected
            shown += bool(expected)
    assert len(session) >= 4 and shown >= 1


def test_errors_read_as_on_the_page():
    x = np.float32([1, 2])
    shown = re.findall(r"^    >>> (.*)\n    (\w+): (.*)$", PAGE.read_text(), re.MULTILINE)
    assert len(shown) >= 2
    for call, kind, message in shown:
        try:
            eval(call, {"assay": assay, "np": np, "x": x})
        except Exception as error:
            assert (type(error).__name__, str(error)) == (kind, message)
        else:
            raise AssertionError(f"{call} raises nothing")


def test_everything_public_has_a_docstring_and_types():
    for name in assay.__all__:
        thing = getattr(assay, name)
        assert thing.__doc__, name
        if inspect.isfunction(thing):
            missing = [
                p.name
                for p in inspect.signature(thing).parameters.values()
                if p.annotation is p.empty
            ]
            assert not missing, (name, missing)


def test_the_stub_has_what_the_module_has():
    stub = ast.parse((ROOT / "python" / "assay" / "_assay.pyi").read_text())
    declared = {
        node.name for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }
    declared |= {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
    assert declared == {name for name in dir(assay._assay) if not name.startswith("__")}
    for node in stub.body:
        if isinstance(node, ast.ClassDef):
            members = {
                member.name for member in node.body if isinstance(member, ast.FunctionDef)
            } - {"__init__"}
            module_class = getattr(assay._assay, node.name)
            assert members == {
                name for name in dir(module_class) if not name.startswith("_")
            }, node.name


def test_options_of_run_are_documented():
    words = set(re.findall(r"\w+", assay.run.__doc__))
    undocumented = [
        name for name in assay._assay.run_option_names() if name not in words | {"modules", "job"}
    ]
    assert not undocumented
