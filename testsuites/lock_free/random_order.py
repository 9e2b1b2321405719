#!/usr/bin/env python3
"""Random kernels whose accesses are ordered by messages and barriers, and the same with one access that nothing orders.

    testsuites/lock_free/random_order.py --assay build/release/bin/assay --count 200 --first 1

A kernel is made as one order of events of its work-items: plain accesses, messages that are sent and received in one of many ways
(release and acquire operations, fences, release sequences, counters, sub-group, work-group and device scopes, flags in local and in
global memory), and barriers of groups and sub-groups.  Receivers wait, so that what happens before what is the same in every
schedule; it is kept here as vector clocks, two of them: `sure` has what the text orders for local and global memory each, `at_most`
has whatever somebody could take for order.  An access of a right kernel is one that `sure` orders; that of a wrong one is not
ordered by `at_most`.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

LOCAL, GLOBAL = 0, 1
SCOPES = ["memory_scope_sub_group", "memory_scope_work_group", "memory_scope_device"]
FLAGS = {(LOCAL,): "CLK_LOCAL_MEM_FENCE", (GLOBAL,): "CLK_GLOBAL_MEM_FENCE",
         (LOCAL, GLOBAL): "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"}
SENDS = ["store release", "store seq_cst", "exchange release", "exchange acq_rel", "fence release", "fence acq_rel",
         "fence seq_cst", "own"]
RECEIVES = ["load acquire", "load seq_cst", "add acquire", "add acq_rel", "fail acquire", "fence acquire",
            "fence acq_rel", "fence seq_cst"]
CELLS = 4
MESSAGES = 12


class Clocks:
    """What each work-item knows of all, for local and for global memory."""

    def __init__(self, items):
        self.of = [[[0] * items for _ in range(items)] for _ in (LOCAL, GLOBAL)]

    def snapshot(self, item):
        return [list(self.of[relation][item]) for relation in (LOCAL, GLOBAL)]

    def join(self, item, snapshot, relations):
        for relation in relations:
            mine = self.of[relation][item]
            mine[:] = map(max, mine, snapshot[relation])

    def knows(self, relation, item, access):
        return access[0] == item or self.of[relation][item][access[0]] >= access[1]


class Cell:
    def __init__(self, relation, group, name):
        self.relation, self.group, self.name = relation, group, name
        self.write, self.reads, self.value = None, [], 0


class Message:
    """A flag: where it lies, and who has released what, by an operation or by a fence of which flags."""

    def __init__(self, relation, name, scope, value):
        self.relation, self.name, self.scope, self.value = relation, name, scope, value
        self.released, self.users = [], []


class Kernel:
    def __init__(self, seed, is_wrong):
        self.random = random.Random(seed)
        pick = self.random
        self.groups, self.local = pick.choice([(1, 2), (1, 3), (1, 4), (2, 2), (2, 3)])
        self.subgroup = pick.choice([1, 2, self.local])
        self.items = self.groups * self.local
        self.sure, self.at_most = Clocks(self.items), Clocks(self.items)
        self.time = [1] * self.items
        self.cells = [Cell(GLOBAL, None, f"data[{c}]") for c in range(CELLS)]
        self.cells += [Cell(LOCAL, group, f"own[{c}]") for group in range(self.groups) for c in range(2)]
        self.messages, self.writes = [], 0
        self.parts = [self.new_part()]
        self.planted = None
        steps = pick.randrange(15, 45)
        for step in range(steps):
            self.step()
            if is_wrong and step * 2 > steps and self.plant():
                break

    def new_part(self):
        return [[] for _ in range(self.items)]

    def say(self, item, line):
        self.parts[-1][item].append(line)

    def group_of(self, item):
        return item // self.local

    def subgroup_of(self, item):
        return self.group_of(item), item % self.local // self.subgroup

    def step(self):
        pick = self.random
        item = pick.randrange(self.items)
        what = pick.choices([self.send, self.receive, self.meet, self.access], [4, 5, 1, 4])[0]
        what(item)
        for _ in range(2):
            self.access(item)

    def visible(self, item):
        return [c for c in self.cells if c.group is None or c.group == self.group_of(item)]

    def access(self, item):
        """One that is ordered behind all others that it could conflict with."""
        cell = self.random.choice(self.visible(item))
        knows = lambda access: self.sure.knows(cell.relation, item, access)  # noqa: E731
        if cell.write and not knows(cell.write) or not cell.write and cell.group is not None and self.random.random() < 0.5:
            return
        if self.random.random() < 0.5 and all(map(knows, cell.reads)):
            self.write(item, cell)
        elif cell.write or cell.group is None:
            self.say(item, f"wrong |= {cell.name} != {cell.value};")
            cell.reads.append((item, self.tick(item)))

    def write(self, item, cell):
        self.writes += 1
        cell.write, cell.reads, cell.value = (item, self.tick(item)), [], self.writes
        self.say(item, f"{cell.name} = {cell.value};")

    def tick(self, item):
        """The time of an access; later releases publish it."""
        for clocks in (self.sure, self.at_most):
            for relation in (LOCAL, GLOBAL):
                clocks.of[relation][item][item] = self.time[item]
        self.time[item] += 1
        return self.time[item] - 1

    def scope_for(self, items, relation):
        least = 0 if len({self.subgroup_of(i) for i in items}) == 1 else 1 if len({self.group_of(i) for i in items}) == 1 else 2
        return self.random.randrange(least, 2 if relation == LOCAL else 3)

    def fence(self, item, message, order, flags):
        self.say(item, f"atomic_work_item_fence({FLAGS[flags]}, memory_order_{order}, {SCOPES[message.scope]});")

    def fence_flags(self, message):
        return self.random.choice([(message.relation,), (LOCAL, GLOBAL)])

    def send(self, item):
        if len(self.messages) == MESSAGES:
            return
        pick = self.random
        relation = pick.choice([LOCAL, GLOBAL])
        others = [i for i in range(self.items) if i != item and (relation == GLOBAL or self.group_of(i) == self.group_of(item))]
        to = pick.sample(others, pick.randrange(1, min(3, len(others)) + 1))
        number = len(self.messages)
        message = Message(relation, f"&{'flags' if relation == GLOBAL else 'own_flags'}[{number}]", 0, 0)
        message.users = [item, *to]
        message.scope = self.scope_for(message.users, relation)
        self.messages.append(message)
        self.release(item, message, pick.choice(SENDS), False)
        # Others go on with the flag: relaxed or not, their read-modify-writes continue the release sequence.
        while len(to) > 1 and pick.random() < 0.4:
            helper = to.pop()
            self.await_value(helper, message, "load relaxed")
            self.at_most_join(helper, message)
            self.release(helper, message, pick.choice(["add relaxed", "add release", "fence release", "add acq_rel"]), True)
            message.users.remove(helper)

    def release(self, item, message, kind, continues):
        how, order = (kind.split() + [""])[:2]
        flags = None
        name, scope = message.name, SCOPES[message.scope]
        message.value += 1
        if how == "fence":
            flags = self.fence_flags(message)
            self.fence(item, message, order, flags)
            order = "relaxed"
        is_release = order != "relaxed" or flags is not None
        if how == "own":
            self.say(item, f"atomic_store_explicit({name}, {message.value}, memory_order_release, {scope});")
            message.value += 1
            self.say(item, f"atomic_store_explicit({name}, {message.value}, memory_order_relaxed, {scope});")
        elif continues:
            acquires = order == "acq_rel"
            self.say(item, f"atomic_fetch_add_explicit({name}, 1, memory_order_{order}, {scope});")
            if acquires:
                self.acquire(item, message, "add acquire", None)
        elif how == "exchange":
            self.say(item, f"atomic_exchange_explicit({name}, {message.value}, memory_order_{order}, {scope});")
        else:
            self.say(item, f"atomic_store_explicit({name}, {message.value}, memory_order_{order}, {scope});")
        message.released.append((self.sure.snapshot(item) if is_release else None, self.at_most.snapshot(item), flags))

    def await_value(self, item, message, kind):
        how, order = kind.split()
        name, scope = message.name, SCOPES[message.scope]
        if how == "fail":
            text = f"({{ uint found = 99; atomic_compare_exchange_strong_explicit({name}, &found, 98, " \
                   f"memory_order_{order}, memory_order_{order}, {scope}); found; }})"
        elif how == "add":
            text = f"atomic_fetch_add_explicit({name}, 0, memory_order_{order}, {scope})"
        else:
            text = f"atomic_load_explicit({name}, memory_order_{'relaxed' if how == 'fence' else order}, {scope})"
        self.say(item, f"while ({text} < {message.value}) {{}}")

    def receive(self, item):
        known = [m for m in self.messages if item in m.users[1:]]
        if not known:
            return
        message = self.random.choice(known)
        # A read-modify-write of one receiver may order him before another one, in one schedule and not in the next.
        kind = self.random.choice([k for k in RECEIVES if len(message.users) == 2 or not k.startswith("add")])
        self.await_value(item, message, kind)
        flags = None
        if kind.startswith("fence"):
            flags = self.fence_flags(message)
            self.fence(item, message, kind.split()[1], flags)
        self.acquire(item, message, kind, flags)

    def acquire(self, item, message, kind, flags):
        for sure, _, release_flags in message.released:
            if sure is None:
                continue
            both = (LOCAL, GLOBAL)
            self.sure.join(item, sure, both if flags == both and release_flags == both else (message.relation,))
        self.at_most_join(item, message)

    def at_most_join(self, item, message):
        for _, snapshot, _ in message.released:
            self.at_most.join(item, snapshot, (LOCAL, GLOBAL))

    def meet(self, item):
        flags = self.random.choice(list(FLAGS))
        if self.random.random() < 0.5:
            who = [i for i in range(self.items) if self.group_of(i) == self.group_of(item)]
            place = f"if (get_group_id(0) == {self.group_of(item)}) barrier({FLAGS[flags]});"
        else:
            who = [i for i in range(self.items) if self.subgroup_of(i) == self.subgroup_of(item)]
            group, number = self.subgroup_of(item)
            place = f"if (get_group_id(0) == {group} && get_sub_group_id() == {number}) sub_group_barrier({FLAGS[flags]});"
        for clocks, relations in ((self.sure, flags), (self.at_most, (LOCAL, GLOBAL))):
            snapshots = [clocks.snapshot(i) for i in who]
            for i in who:
                for snapshot in snapshots:
                    clocks.join(i, snapshot, relations)
        self.parts += [place, self.new_part()]

    def plant(self):
        """An access that conflicts with one that nothing orders before it."""
        choices = []
        for item in range(self.items):
            for cell in self.visible(item):
                knows = lambda access: self.at_most.knows(cell.relation, item, access)  # noqa: E731
                if cell.write and not knows(cell.write):
                    choices += [(item, cell, "read"), (item, cell, "write")]
                elif len(cell.reads) == 1 and not knows(cell.reads[0]):
                    choices.append((item, cell, "write"))
        if not choices:
            return False
        item, cell, what = self.random.choice(choices)
        self.planted = f"work-item {item}: {what} of {cell.name}"
        self.say(item, f"{cell.name} = 1000;" if what == "write" else f"wrong |= {cell.name} == 1000;")
        return True

    def text(self):
        lines = ["#pragma OPENCL EXTENSION cl_khr_subgroups : enable",
                 "kernel void f(global atomic_uint *flags, global uint *data, global uint *out)", "{",
                 f"  local atomic_uint own_flags[{MESSAGES}];", "  local uint own[2];",
                 "  const uint me = get_global_id(0);", "  uint wrong = 0;", "  if (get_local_id(0) == 0) {",
                 f"    for (uint i = 0; i < {MESSAGES}; ++i) atomic_init(&own_flags[i], 0);", "  }",
                 "  barrier(CLK_LOCAL_MEM_FENCE);"]
        for part in self.parts:
            if isinstance(part, str):
                lines.append(f"  {part}")
                continue
            for item, steps in enumerate(part):
                if steps:
                    lines += [f"  if (me == {item}) {{", *(f"    {step}" for step in steps), "  }"]
        return "\n".join([*lines, "  out[me] = wrong;", "}", ""])

    def job(self, module):
        def zeros(count):
            return {"buffer": {"type": "uint", "count": count, "init": {"fill": 0}}}
        job = {"module": module, "build_options": "-cl-std=CL3.0", "kernel": "f", "global": [self.items],
               "local": [self.local], "sub_group_size": self.subgroup, "forward_progress": "work-item",
               "args": [zeros(MESSAGES), zeros(CELLS), zeros(self.items)]}
        if self.planted is None:
            job["expect"] = {"findings": [], "buffers": {"2": {"fill": 0}}}
        return job


def try_one(assay, folder, number, seeds):
    """The error of kernel `number`, or nothing; every second one is wrong."""
    kernel = Kernel(number, number % 2 == 1)
    if number % 2 == 1 and kernel.planted is None:
        return None
    path = folder / f"order{number}"
    path.with_suffix(".cl").write_text(kernel.text())
    path.with_suffix(".json").write_text(json.dumps(kernel.job(f"order{number}.cl"), indent=1) + "\n")
    command = [str(assay), "run", "--job", str(path.with_suffix(".json")), "--seed", "1", "--many-seeds", str(seeds),
               "--threads", "1", "--json", "-"]
    try:
        process = subprocess.run(command, capture_output=True, text=True, timeout=300)
        report = json.loads(process.stdout)
    except (ValueError, subprocess.TimeoutExpired) as error:
        return f"kernel {number}: no report ({error}); {' '.join(command)}"
    rules = sorted({finding["rule"] for finding in report["findings"]})
    command = " ".join(command[:-2])
    if kernel.planted:
        if not any(rule.startswith("race") for rule in rules):
            return f"kernel {number}: {kernel.planted} was not found; {command}"
    elif report["exit_code"] != 0:
        return f"kernel {number}: {', '.join(rules) or 'a wrong value'}; {command}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--assay", required=True, type=pathlib.Path)
    parser.add_argument("--first", type=int, default=1, help="number of the first kernel")
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--seeds", type=int, default=6, help="schedules of each")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the kernels in this folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.keep or pathlib.Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        numbers = range(arguments.first, arguments.first + arguments.count)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            errors = [error for error in pool.map(
                lambda number: try_one(arguments.assay.resolve(), folder, number, arguments.seeds), numbers) if error]
    for error in errors:
        print(error, file=sys.stderr)
    print(f"{arguments.count} kernels from {arguments.first} on: {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
