"""hashcat.py MODE: hashcat's own example hash of a mode, whose password stands in a list of eight words."""
import json
import os
import subprocess
import sys

mode = sys.argv[1]
info = subprocess.run(["hashcat", "-m", mode, "--hash-info", "--machine-readable"], capture_output=True, text=True,
                      env=os.environ | {"OCL_ICD_VENDORS": "/nonexistent", "OCL_ICD_FILENAMES": ""}).stdout
entry = list(json.loads(info[info.index("{"):]).values())[0]
with open("hash.txt", "w") as file:
    file.write(entry["example_hash"] + "\n")
with open("words.txt", "w") as file:
    file.write("\n".join(["alpha", "beta", "gamma", "delta", entry["example_pass"], "epsilon", "zeta", "eta"]) + "\n")
os.execvp("hashcat", ["hashcat", "-m", mode, "-a", "0", "hash.txt", "words.txt", "--potfile-disable", "--restore-disable",
                      "--logfile-disable", "--force", "-D", "1,2,3", "-n", "1", "-u", "64"])
