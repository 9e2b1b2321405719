"""What compilers may use, what is left of them, and what the cache answers."""

import os
import pathlib
import re
import signal
import time
import unittest

from place import COMPILERS, PLAIN, TRANSLATED, Place

RUN = ("-g", "1", "-a", "int[1]=0", "--print", "0")
NEVER = "kernel void k(global int *p) { p[0] = 2; }\n"
MACRO_BOMB = "".join(
    f"#define M{i} {' '.join([f'M{i - 1}'] * 10)}\n" for i in range(1, 10)
).join(["#define M0 0,\n", "constant int a[] = {M9};\n" + PLAIN])


def marker(number):
    """Seconds to sleep that no other test program beside this one names."""
    return f"{number}.{os.getpid():08d}"


class Limits(unittest.TestCase):
    def setUp(self):
        self.place = Place()
        self.addCleanup(self.place.remove)
        self.place.write("job/k.cl", PLAIN)

    def ended(self, *arguments, seconds=5, says="--timeout"):
        """Ends at the limit of time, and leaves nothing behind."""
        begin = time.monotonic()
        code, output = self.place.run("run", "k.cl", *RUN, "--timeout", str(seconds), *arguments)
        # Two seconds more are promised; a busy machine starts programs slowly.
        self.assertLess(time.monotonic() - begin, seconds + 2 + 15)
        self.assertEqual(code, 4, output)
        self.assertIn(says, output)
        self.assertEqual(list((self.place.root / "tmp").iterdir()), [])
        return output

    def test_macro_bomb(self):
        self.place.write("job/k.cl", MACRO_BOMB)
        for compiler in COMPILERS:
            with self.subTest(compiler):
                process = self.place.start("run", "k.cl", *RUN, "--compiler", compiler,
                                           "--max-memory", "512M", "--timeout", "100")
                peak = 0
                while process.poll() is None:
                    peak = max(peak, self.place.resident(process.pid))
                    time.sleep(0.02)
                output = process.communicate()[0].decode()
                self.assertEqual(process.returncode, 4, output)
                self.assertIn("the memory limit of 512 MiB (--max-memory)", output)
                self.assertGreater(peak, 256 << 20)  # or it was not looked at
                self.assertLess(peak, 1.2 * (512 << 20) + (200 << 20))

    def test_inclusion_without_end(self):
        self.place.write("job/twice.h", '#include "twice.h"\n#include "twice.h"\n')
        self.place.write("job/k.cl", '#include "twice.h"\n' + PLAIN)
        begin = time.monotonic()
        code, output = self.place.run("run", "k.cl", *RUN, "--timeout", "5")
        self.assertLess(time.monotonic() - begin, 5 + 2 + 15)
        self.assertIn(code, (2, 4), output)  # clang counts the depth, or the time is up

    def test_files_without_end(self):
        os.mkfifo(self.place.root / "job/fifo.h")
        self.place.write("job/k.cl", '#include "fifo.h"\n' + PLAIN)
        self.ended(seconds=3)
        for name in ("/dev/zero", "/dev/stdin", "/dev/tty"):
            self.place.write("job/k.cl", f'#include "{name}"\n' + PLAIN)
            code, output = self.place.run("run", "k.cl", *RUN, "--timeout", "20")
            self.assertIn(code, (2, 4), output)

    def test_endless_compiler(self):
        self.place.compiler("trap '' TERM INT HUP\nwhile :; do :; done\n")
        self.ended(seconds=2)

    def test_fork_bomb(self):
        mark = marker(4711)
        # 256 of them start processes without end. Without a limit the tests beside this one would find none left.
        self.place.compiler(f"sleep {mark} &\n"
                            "if [ ${DEPTH:-0} -lt 8 ]; then export DEPTH=$((${DEPTH:-0} + 1)); $0 & $0 & wait; fi\n"
                            "while :; do /bin/true; done\n")
        self.ended(seconds=3)
        self.until(lambda: not self.place.processes(mark), "children still run")

    def test_compiler_that_leaves_a_child(self):
        mark = marker(4712)
        self.place.compiler(f"setsid sleep {mark} >/dev/null 2>&1 &\nexit 1\n")
        code, output = self.place.run("run", "k.cl", *RUN)
        self.assertEqual(code, 2, output)
        if self.place.has_namespaces():
            # The kernel ends a namespace's processes a moment after its first one.
            self.until(lambda: not self.place.processes(mark), "the child still runs")

    def test_flood(self):
        self.place.compiler("yes 'k.cl:1: error: no'\n")
        self.ended(seconds=2)

    def test_large_file(self):
        self.place.compiler("exec head -c 2000000000 /usr/bin/* /usr/lib/*/* > $TMPDIR/large 2>/dev/null\n")
        code, output = self.place.run("run", "k.cl", *RUN, "--timeout", "60")
        self.assertEqual(code, 4, output)
        self.assertIn("wrote too large a file", output)
        self.assertEqual(list((self.place.root / "tmp").iterdir()), [])

    def until(self, condition, what):
        for _ in range(600):
            if condition():
                return
            time.sleep(0.05)
        self.fail(what)

    def interrupted(self, number, mark):
        self.place.compiler(f"exec sleep {mark}\n")
        process = self.place.start("run", "k.cl", *RUN)
        self.until(lambda: any("sleep" in pathlib.Path(f"/proc/{one}/cmdline").read_text()
                               for one in self.place.processes(mark)), "no compiler was started")
        self.assertNotEqual(list((self.place.root / "tmp").iterdir()), [])
        process.send_signal(number)
        process.communicate(timeout=60)
        self.until(lambda: not self.place.processes(mark), "the compiler still runs")
        return process.returncode

    def test_signals(self):
        for number, mark in ((signal.SIGTERM, marker(4713)), (signal.SIGINT, marker(4714)),
                             (signal.SIGHUP, marker(4715))):
            with self.subTest(number):
                code = self.interrupted(number, mark)
                self.assertIn(code, (-number, 4, 130))
                self.assertEqual(list((self.place.root / "tmp").iterdir()), [])

    def test_kill(self):
        self.interrupted(signal.SIGKILL, marker(4716))
        self.assertNotEqual(list((self.place.root / "tmp").iterdir()), [])
        (self.place.root / "bin" / TRANSLATED).unlink()
        code, output = self.place.run("run", "k.cl", *RUN)
        self.assertEqual(code, 0, output)
        self.assertEqual(list((self.place.root / "tmp").iterdir()), [])

    def test_walls(self):
        """The other walls, for machines without the best one."""
        secret = self.place.root / "outside/secret.h"
        for wall in ("landlock", "limits"):
            with self.subTest(wall):
                self.place.environment["ASSAY_SANDBOX"] = wall
                self.place.environment["ASSAY_CACHE_SIZE"] = "0"
                self.place.write("job/k.cl", PLAIN)
                code, output = self.place.run("run", "k.cl", *RUN)
                self.assertEqual(code, 0, output)
                self.assertEqual("without a sandbox" in output, wall == "limits", output)
                self.place.write("job/k.cl", f'#include "{secret}"\n' + PLAIN)
                code, output = self.place.run("run", "k.cl", *RUN)
                self.assertEqual(code, 2, output)
                self.assertIn("--allow-read", output)


class Cache(unittest.TestCase):
    def setUp(self):
        self.place = Place()
        self.addCleanup(self.place.remove)
        self.place.write("job/k.cl", '#include "h.h"\nkernel void k(global int *p) { p[0] = V; }\n')
        self.entries = self.place.root / "home/cache/assay"

    def value(self, *options, cwd=None, source="k.cl"):
        words = ("run", self.place.root / "job" / source, *RUN, "-q")
        code, output = self.place.run(*words, *options, cwd=cwd)
        self.assertEqual(code, 0, output)
        return int(re.search(r"^\s+0: (-?\d+)", output, re.MULTILINE).group(1))

    def test_shadowing_header(self):
        self.place.write("b/h.h", "#define V 1\n")
        option = f"--build-options=-I{self.place.root}/b"
        self.assertEqual(self.value(option), 1)
        self.place.write("job/h.h", "#define V 2\n")
        self.assertEqual(self.value(option), 2)

    def test_header_that_comes_to_be(self):
        self.place.write("job/k.cl", '#if __has_include("h.h")\n#include "h.h"\n#else\n#define V 1\n'
                         "#endif\nkernel void k(global int *p) { p[0] = V; }\n")
        self.assertEqual(self.value(), 1)
        self.place.write("job/h.h", "#define V 2\n")
        self.assertEqual(self.value(), 2)

    def test_options_that_name_headers(self):
        for option in ("-isystem ", "-idirafter ", "-iquote ", "-I"):
            with self.subTest(option):
                for value in (3, 4):
                    self.place.write("s/h.h", f"#define V {value}\n")
                    self.assertEqual(
                        self.value(f"--build-options={option}{self.place.root}/s"), value)

    def test_working_folder(self):
        self.place.write("job/k.cl", "kernel void k(global int *p) { p[0] = V; }\n")
        for value in (5, 6):
            self.place.write(f"w{value}/h.h", f"#define V {value}\n")
        for value in (5, 6):
            folder = self.place.root / f"w{value}"
            self.assertEqual(self.value("--build-options=-include h.h", cwd=folder), value)
        self.place.write("job/k.cl", '#include "h.h"\nkernel void k(global int *p) { p[0] = V; }\n')
        for value in (5, 6):
            folder = self.place.root / f"w{value}"
            self.assertEqual(self.value("--build-options=-iquote .", cwd=folder), value)

    def test_environment(self):
        self.place.write("job/h.h", "#define V 7\n#ifdef OTHER\n#undef V\n#define V 8\n#endif\n")
        self.place.write("env/h.h", "#define V 9\n")
        self.place.write("job/k.cl", "#include <h.h>\nkernel void k(global int *p) { p[0] = V; }\n")
        for name in ("CPATH", "C_INCLUDE_PATH", "OBJC_INCLUDE_PATH"):
            self.place.environment[name] = f"{self.place.root}/env"
        self.place.environment["CCC_OVERRIDE_OPTIONS"] = "+-DOTHER"
        self.assertEqual(self.value("--build-options=-I."), 7)

    def test_embedded_file(self):
        self.place.write("job/k.cl", "constant uchar b[] = {\n#embed \"d.bin\"\n};\n"
                         "kernel void k(global int *p) { p[0] = b[0]; }\n")
        for value in (65, 66):
            self.place.write("job/d.bin", chr(value))
            self.assertEqual(self.value("--compiler", "clang-22"), value)

    def only_entry(self):
        (entry,) = (one for one in self.entries.iterdir() if not one.name.startswith("."))
        return entry

    def forge(self):
        """An entry in the place of another one: the module of a source that stores 2."""
        self.place.write("job/k.cl", NEVER)
        self.assertEqual(self.value(), 2)
        forged = self.only_entry().read_bytes()
        self.only_entry().unlink()
        self.place.write("job/k.cl", PLAIN)
        self.assertEqual(self.value(), 1)
        entry = self.only_entry()
        entry.write_bytes(forged)
        return entry

    def test_forged_entries_would_be_used(self):
        self.forge()
        self.assertEqual(self.value(), 2)  # so that the tests below show something

    def test_entries_of_others(self):
        entry = self.forge()
        if os.geteuid() == 0:
            os.chown(entry, 65533, 65533)
            entry.chmod(0o644)
            self.assertEqual(self.value(), 1)

    def test_entries_that_others_may_write(self):
        entry = self.forge()
        entry.chmod(0o666)
        self.assertEqual(self.value(), 1)

    def test_folder_that_others_may_write(self):
        self.forge()
        self.entries.chmod(0o777)
        self.assertEqual(self.value(), 1)

    def test_links(self):
        entry = self.forge()
        entry.rename(self.place.root / "outside/entry")
        entry.symlink_to(self.place.root / "outside/entry")
        self.assertEqual(self.value(), 1)

    def test_size(self):
        self.place.environment["ASSAY_CACHE_SIZE"] = "8K"
        for value in range(12):
            self.place.write("job/k.cl", "kernel void k(global int *p) { p[0] = %d; }\n" % value)
            self.assertEqual(self.value(), value)
            size = sum(one.stat().st_size for one in self.entries.iterdir())
            self.assertLessEqual(size, 8 << 10)
        self.assertGreater(len(list(self.entries.iterdir())), 1)
        self.place.environment["ASSAY_CACHE_SIZE"] = "0"
        for one in self.entries.iterdir():
            one.unlink()
        self.assertEqual(self.value(), 11)
        self.assertEqual(list(self.entries.iterdir()), [])
