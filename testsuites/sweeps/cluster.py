"""A Slurm cluster of one node, in a temporary folder, with ports and a key of its own."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PROGRAMS = ("munged", "munge", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo")
SBIN = "/usr/sbin:/sbin:/usr/local/sbin"
CONFIGURATION = """
ClusterName=assay_test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={controller}
SlurmdPort={daemon}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0
ReturnToService=2
SlurmdTimeout=10
InactiveLimit=0
KillWait=2
MinJobAge=30
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""


class CannotStart(Exception):
    """Why there is no cluster here."""


def free_ports(count):
    """Ports that nobody has now."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """Started by `with`; ends with everything that it started."""

    def __init__(self):
        self.environment = dict(os.environ, PATH=os.environ.get("PATH", "") + ":" + SBIN)
        missing = [name for name in PROGRAMS if not shutil.which(name, path=self.environment["PATH"])]
        if missing:
            raise CannotStart("these programs are missing: " + ", ".join(missing))
        self.folder = tempfile.mkdtemp(prefix="assay_slurm_", dir="/tmp")
        self.environment["SLURM_CONF"] = self.folder + "/slurm.conf"
        self.host = socket.gethostname().split(".")[0]
        self.daemons = {}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def run(self, *argv, timeout=30):
        """Output and exit status of a program of Slurm."""
        done = subprocess.run(argv, env=self.environment, capture_output=True, text=True,
                              timeout=timeout, check=False)
        return done.stdout + done.stderr, done.returncode

    def daemon(self, name, *argv):
        """Starts a daemon in the foreground, in a group of its own."""
        log = open(f"{self.folder}/{name}.output", "ab")
        path = shutil.which(argv[0], path=self.environment["PATH"])
        self.daemons[name] = subprocess.Popen((path,) + argv[1:], env=self.environment, stdout=log,
                                              stderr=log, stdin=subprocess.DEVNULL,
                                              start_new_session=True)
        log.close()

    def start_munged(self):
        with open(self.folder + "/munge.key", "wb") as key:
            os.fchmod(key.fileno(), 0o400)
            key.write(os.urandom(128))
        self.daemon("munged", "munged", "--foreground", "--force", "--key-file",
                    self.folder + "/munge.key", "--socket", self.folder + "/munge.socket",
                    "--pid-file", self.folder + "/munge.pid", "--log-file",
                    self.folder + "/munge.log", "--seed-file", self.folder + "/munge.seed")
        self.wait_for(lambda: os.path.exists(self.folder + "/munge.socket"), "munged")

    def start_slurmd(self):
        self.daemon("slurmd", "slurmd", "-D", "-f", self.folder + "/slurm.conf", "-N", self.host)

    def start(self):
        controller, daemon = free_ports(2)
        text = CONFIGURATION.format(host=self.host, user=pwd.getpwuid(os.getuid()).pw_name,
                                    folder=self.folder, controller=controller, daemon=daemon,
                                    cpus=os.cpu_count())
        with open(self.folder + "/slurm.conf", "w", encoding="utf-8") as file:
            file.write(text)
        for name in ("state", "spool"):
            os.mkdir(f"{self.folder}/{name}")
        self.start_munged()
        self.daemon("slurmctld", "slurmctld", "-D", "-f", self.folder + "/slurm.conf")
        self.start_slurmd()
        self.wait_for(self.is_idle, "a node that is idle", 60)

    def is_idle(self):
        output, code = self.run("sinfo", "-h", "-o", "%t")
        return code == 0 and output.strip() in ("idle", "mix", "alloc")

    def wait_for(self, condition, what, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            ended = [name for name, one in self.daemons.items() if one.poll() is not None]
            if ended or time.monotonic() > end:
                raise CannotStart(f"no {what} after {seconds} s; ended: {ended}; {self.words()}")
            time.sleep(0.2)

    def words(self):
        """The ends of the daemons' logs."""
        text = ""
        for name in ("munged.output", "slurmctld.output", "slurmd.output"):
            try:
                with open(f"{self.folder}/{name}", encoding="utf-8", errors="replace") as file:
                    text += f"\n--- {name}\n" + "".join(file.readlines()[-6:])
            except OSError:
                pass
        return text

    def kill_slurmd(self):
        """As a node that is lost: the daemon ends, and the steps that it has started."""
        slurmd = self.daemons["slurmd"]
        slurmd.send_signal(signal.SIGKILL)
        slurmd.wait()

    def stop(self):
        self.run_quietly("scancel", "--user", str(os.getuid()))
        for name in ("slurmd", "slurmctld", "munged"):
            one = self.daemons.get(name)
            if one is None:
                continue
            one.terminate()
            try:
                one.wait(10)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run_quietly(self, *argv):
        try:
            self.run(*argv)
        except (OSError, subprocess.TimeoutExpired):
            pass
