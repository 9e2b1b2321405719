"""piglit's OpenCL tests, one process each: names every test that did not pass or skip."""
import subprocess
import sys

subprocess.run(["piglit", "run", "-1", "-l", "quiet", "--timeout", "60", "cl", "results"], check=True)
summary = subprocess.run(["piglit", "summary", "console", "results"], capture_output=True, text=True, check=True).stdout
bad = [line for line in summary.splitlines() if line.rsplit(": ", 1)[-1] in ("fail", "crash", "timeout", "incomplete", "warn")]
print("\n".join(bad))
print(f"{sum(line.endswith(': pass') for line in summary.splitlines())} passed, {len(bad)} did not")
sys.exit(1 if bad else 0)
