"""The applications: name, command, limit of time, and how each says that it is right."""

import dataclasses
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"


def exits_with_zero(code, output):
    if code == 0:
        return None
    lines = [line for line in output.splitlines() if line.strip()]
    return f"exit code {code}: {lines[-1] if lines else ''}"


def prints(*needed, but=None):
    """Exit code 0, each of the expressions somewhere in the output, and nowhere the other one."""
    def check(code, output):
        if (why := exits_with_zero(code, output)) is not None:
            return why
        for expression in needed:
            if not re.search(expression, output):
                return f"does not print {expression}"
        found = re.search(but, output) if but else None
        return f"prints {found.group()}" if found else None
    return check


@dataclasses.dataclass
class Application:
    name: str
    package: str
    command: list
    seconds: int = 300
    check: object = exits_with_zero
    skips: str = ""  # an expression: the application says that the device cannot do it
    files: tuple = ()


FAILURES = r"(?i)CL_(INVALID|OUT_OF)_[A-Z_]*|terminate called|\babort|segmentation|FAILED"
# hashcat's numbers of hashes: md5, sha1, sha256, sha512, md4, NTLM, with salts, LM, BLAKE2b, RIPEMD-160, CRC-32, SHA-3, SHA-384, phpass
HASHCAT = (0, 100, 1400, 1700, 900, 1000, 10, 20, 110, 1300, 2600, 3000, 300, 600, 6000, 11500, 17300, 17600, 10800, 400)
# Sizes that are multiples of every tile that is tried: the tuners do not see to it, and their fast kernels have no tests.
CLBLAST_TUNERS = {
    "xaxpy": "-n 131072", "xdot": "-n 4096", "xger": "-n 64 -m 64", "xgemv": "-n 256 -m 1024", "copy_fast": "-n 256 -m 256",
    "copy_pad": "-n 64 -m 64", "transpose_fast": "-n 128 -m 128", "transpose_pad": "-n 64 -m 64",
    "invert": "-n 64 -m 64 -k 16", "xgemm": "-n 128 -m 128 -k 128 -fraction 1024",
    "xgemm_direct": "-n 64 -m 64 -k 64 -fraction 64"}
CLFFT = {"1024": "-x 1024", "256 x 16": "-x 256 -b 16", "out of place": "-x 512 -o", "inverse": "-x 512 --inv",
         "double": "-x 512 --double", "2D": "-x 64 -y 64", "3D": "-x 16 -y 16 -z 16", "radix 3 and 5": "-x 225 -y 3",
         "planar": "-x 256 --inLayout 2 --outLayout 2", "real": "-x 256 -o --inLayout 5 --outLayout 3", "65536": "-x 65536"}

MANDELBULBER = (("mandelbulb", "limited"), ("mandelbulb", "full"), ("IFS_001", "full"))


def of_debian():
    yield Application("clinfo", "clinfo", ["clinfo"], 60, prints("CL_PLATFORM_NAME|Number of platforms +[1-9]", but=r"CL_(INVALID|OUT_OF)_|<[^>]*[Ee]rror|inconsisten"))
    for test in ("transfer-bandwidth", "kernel-latency"):
        yield Application(f"clpeak {test}", "clpeak", ["clpeak", f"--{test}"], 300, prints(r"\d", but="(?i)error|failed"))
    for mode in HASHCAT:
        yield Application(f"hashcat {mode}", "hashcat", [PYTHON, HERE / "hashcat.py", mode], 600, prints("Cracked"),
                          files=("/usr/bin/hashcat",))
    for what in ("cltest", "export"):
        yield Application(f"darktable {what}", "darktable python3-opencv", [PYTHON, HERE / "darktable.py", what], 900, files=("/usr/bin/darktable-cltest",))
    yield Application("OpenCV UMat", "python3-opencv", [PYTHON, HERE / "opencv_umat.py"], 900, skips="finds no OpenCL|does not use the device")
    for tuner, arguments in CLBLAST_TUNERS.items():
        command = [f"clblast_tuner_{tuner}", "-platform", "0", "-device", "0", "-precision", "32", "-runs", "1", *arguments.split()]
        yield Application(f"CLBlast tuner {tuner}", "clblast-utils", command, 600, prints("(?i)found best|best parameters", but="no valid"))
    for test in "xaxpy xdot xgemv xger xgemm xtrsm xomatcopy".split():
        yield Application(f"CLBlast test {test}", "clblast-tests", [f"clblast_test_{test}", "-platform", "0", "-device", "0"], 900,
                          prints("passed", but=r"[1-9]\d* failed"))
    for name, arguments in CLFFT.items():
        yield Application(f"clFFT client {name}", "clfft-client", ["clFFT-client", *arguments.split()], 300, prints(r"Client Test \*+PASS"))
    for scene, mode in MANDELBULBER:
        yield Application(f"mandelbulber {scene} {mode}", "mandelbulber2 python3-opencv", [PYTHON, HERE / "mandelbulber.py", scene, mode], 600,
                          files=("/usr/bin/mandelbulber2",))
    yield Application("piglit cl", "piglit", [PYTHON, HERE / "piglit.py"], 3600)


def of_folder(programs):
    def programs_in(folder):
        return [path for path in sorted((programs / folder).glob("*")) if path.is_file()] if programs else []
    for sample in programs_in("clblast"):
        yield Application(f"CLBlast sample {sample.name}", "--programs", [sample], 600, prints(but=FAILURES + "|status -?[1-9]"), skips="-204[56]")
    for sample in programs_in("clfft"):
        yield Application(f"clFFT sample {sample.name}", "--programs", [sample], 120, prints(but=FAILURES))
    for sample in programs_in("viennacl/tutorial"):
        yield Application(f"ViennaCL {sample.name}", "--programs", [PYTHON, HERE / "in_data.py", sample], 600, prints(but=FAILURES), files=(sample,))
    for sample in programs_in("compute/example"):
        yield Application(f"Boost.Compute {sample.name}", "--programs", [sample], 300, prints(but=FAILURES), skips="not supported|no .*extension")
    for sample in programs_in("pyopencl/examples"):
        if sample.suffix == ".py":
            yield Application(f"pyopencl {sample.stem}", "--programs", [PYTHON, sample], 400, skips="No module named", files=(sample,))
    for test in programs_in("pyopencl/test"):
        if test.name.startswith("test_"):
            yield Application(f"pyopencl {test.stem}", "--programs", [PYTHON, "-m", "pytest", "-p", "no:cacheprovider", "-q", test], 900, files=(test,))


def applications(programs):
    yield from of_debian()
    yield from of_folder(programs)


if __name__ == "__main__":
    sys.exit("run applications.py")
