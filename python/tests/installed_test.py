#!/usr/bin/env python3
"""The installed package needs nothing but Python, NumPy and glibc, and pytest finds its plugin.

usage: installed_test.py --cmake PROGRAM --build FOLDER --readelf PROGRAM
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

GLIBC = re.compile(r"(libc|libm|libdl|libpthread|librt|ld-linux-x86-64)\.so\.\d")
USE = """
import numpy as np, assay
assert assay.__file__.startswith({folder!r}), assay.__file__
assert assay.eval("sin", np.float32(1)) == np.float32(0.84147096)
assert assay.judge("exp", np.float32([1]), np.exp(np.float32([1]))).all
loaded = {{line.split(None, 5)[-1].strip() for line in open("/proc/self/maps")}}
for name in {carried!r}:
    # Python itself may have loaded zlib before.
    assert {lib!r} + "/" + name in loaded or name.startswith("libz"), (name, loaded)
"""
PLUGIN = """
def test_plugin(assay_kernel):
    import numpy as np
    a = np.zeros(4, np.int32)
    assay_kernel("kernel void f(global int* a) { a[get_global_id(0)] = 2; }", "f", [a], 4)
    assert (a == 2).all()
"""


def dynamic(readelf, path):
    return subprocess.run(
        [readelf, "--dynamic", path], check=True, capture_output=True, text=True
    ).stdout


def check_linkage(readelf, package):
    carried = {path.name for path in (package / "lib").iterdir()}
    modules = list(package.glob("_assay*.so"))
    assert len(modules) == 1, modules
    for path in [*modules, *(package / "lib").iterdir()]:
        text = dynamic(readelf, path)
        needed = set(re.findall(r"Shared library: \[([^]]+)\]", text))
        missing = {name for name in needed - carried if not GLIBC.match(name)}
        assert not missing, f"{path.name} needs {missing}, which is neither glibc's nor beside it"
    text = dynamic(readelf, modules[0])
    assert "(RPATH)" in text and "[$ORIGIN/lib]" in text and "(RUNPATH)" not in text, text
    return sorted(carried)


def run(command, folder, python_path):
    # Not the caller's environment: its variables might make it work.
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
        "PYTHONPATH": str(python_path),
        "LC_ALL": "C.UTF-8",
    }
    ran = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if ran.returncode != 0:
        sys.exit(f"{command[:3]}:\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--cmake", "--build", "--readelf"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay à ") as temporary:
        folder = pathlib.Path(temporary).resolve()
        prefix = folder / "prefix"
        subprocess.run(
            [
                options.cmake,
                "--install",
                options.build,
                "--component",
                "python",
                "--prefix",
                prefix,
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        [package] = [path.parent for path in prefix.rglob("py.typed")]
        carried = check_linkage(options.readelf, package)
        assert any(name.startswith("libmpfr") for name in carried), carried
        use = USE.format(folder=str(package), carried=carried, lib=str(package / "lib"))
        run([sys.executable, "-c", use], folder, package.parent)
        (folder / "test_it.py").write_text(PLUGIN)
        # By its entry point: nobody names the plugin.
        out = run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"],
            folder,
            package.parent,
        )
        assert "1 passed" in out, out
    print(f"carried: {', '.join(carried)}")


if __name__ == "__main__":
    assert os.name == "posix"
    main()
