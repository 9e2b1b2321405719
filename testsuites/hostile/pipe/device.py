#!/usr/bin/env python3
"""A device for `assay validate --pipe` that does what no device should: which fault, says its argument.

    device.py FAULT [1|2] [line|binary]

hostile_pipe_test.cc has what each fault must come to.  sin is hostile, fabs and trunc are not.
ASSAY_HOSTILE_STATE names a file in which the device's lives are counted.
"""
import math
import os
import random
import signal
import struct
import sys
import time

fault = sys.argv[1]
version = int(sys.argv[2]) if len(sys.argv) > 2 else 1
form = sys.argv[3] if len(sys.argv) > 3 else "line"
requests, answers = sys.stdin.buffer, sys.stdout.buffer


def say(text, end="\n"):
    answers.write((text + end).encode("latin-1"))
    answers.flush()


def life():
    path = os.environ.get("ASSAY_HOSTILE_STATE")
    if path is None:
        return 1
    with open(path, "a+b") as file:
        file.write(b"x")
        return file.tell()


LIFE = life() if fault.startswith("dies_") else 1


def flood(write):
    try:
        while True:
            write()
    except OSError:
        sys.exit(0)


def greet():
    if fault == "silent" or (fault == "dies_and_is_silent" and LIFE == 2):
        time.sleep(1000)
    if fault == "greets_with_garbage" or (fault == "dies_and_garbles" and LIFE == 2):
        say("\0\xff\x01hello")
    if fault == "greets_with_another_version":
        say("assay-pipe/3 line")
    if fault == "greets_without_form":
        say("assay-pipe/1")
    if fault == "ends_before_greeting":
        sys.exit(0)
    if fault == "floods_errors_and_is_silent":
        flood(lambda: os.write(2, b"flood " * 1000))
    say(f"assay-pipe/{version} {form}")
    if fault == "floods_the_greeting":
        flood(lambda: say("name " + "x" * 1000))
    if fault == "greets_in_one_endless_line":
        flood(lambda: say("name " + "x" * 1000, end=""))
    if fault == "dribbles_its_greeting":
        flood(lambda: (say("vendor x"), time.sleep(0.2)))
    if fault == "declares_no_such_format":
        say("format quad")
    if fault == "ends_in_its_greeting":
        sys.exit(3)
    say("name hostile device")
    flush = fault == "flushes_to_zero" or (fault == "dies_and_declares_less" and LIFE > 1)
    say("format float" + (" denormals=no" if flush else ""))
    if fault == "dies_and_declares_more" and LIFE > 1:
        say("format double")
    say("ready")


def to_float(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def to_bits(number):
    return struct.unpack("<I", struct.pack("<f", number))[0]


def sin(bits):
    x = to_float(bits)
    if fault == "flushes_to_zero" and abs(x) < 2.0**-126:
        return bits & 0x80000000
    return 0x7FC00000 if math.isinf(x) or x != x else to_bits(math.sin(x))


def trunc(bits):
    x = to_float(bits)
    return bits if math.isinf(x) or x != x else to_bits(math.copysign(math.trunc(x), x))


FUNCTIONS = {"sin": sin, "fabs": lambda bits: bits & 0x7FFFFFFF, "trunc": trunc}
before = []
runs = 0


def nudge(bits, steps):
    exponent = bits >> 23 & 0xFF
    return bits + steps if 0 < exponent < 0xFE else bits


def spoil(results):
    """What the hostile function makes of its right answers."""
    global before
    now = list(results)
    if fault == "shuffles":
        random.Random(1).shuffle(results)
    if fault == "reverses":
        results.reverse()
    if fault == "answers_the_batch_before":
        results[:] = (before + results)[:len(results)] if before else [0] * len(results)
    if fault == "always_the_same":
        results[:] = [0x3F000000] * len(results)
    if fault == "random_ulp":
        results[:] = [nudge(bits, random.randrange(2)) for bits in results]
    if fault == "random_far":
        results[:] = [nudge(bits, random.choice([0, 0, 0, 100])) for bits in results]
    if fault == "depends_on_the_lane":
        results[:] = [nudge(bits, 1 if i % 4 == 3 else 0) for i, bits in enumerate(results)]
    if fault == "wrong_when_asked_again" and runs > 1:
        results[:] = [nudge(bits, 100) for bits in results]
    if fault == "random_nan":
        results[:] = [random.randrange(0x7FC00000, 0x80000000) if bits == 0x7FC00000 else bits
                      for bits in results]
    before = now


def lines_of(results):
    style = {"capitals": "0x{:X}", "short_numbers": "{:x}"}.get(fault, "{:08x}")
    lines = [style.format(bits) for bits in results]
    changes = {
        "sends_nul": lambda line: line[:4] + "\0" + line[5:],
        "says_nan": lambda line: "nan",
        "too_many_numbers": lambda line: line + " 00000000",
        "too_many_digits": lambda line: "1" + line,
        "negative_numbers": lambda line: "-1",
        "empty_lines": lambda line: "",
    }
    if fault in changes:
        lines[min(10, len(lines) - 1)] = changes[fault](lines[min(10, len(lines) - 1)])
    if fault == "one_line_too_few":
        lines.pop()
    if fault in ("one_line_too_many", "one_line_too_many_before_the_end"):
        lines.append("00000000")
    if fault == "says_everything_twice":
        lines = [line for line in lines for _ in range(2)]
    return lines


def send(number, results):
    """The whole answer of a run."""
    head = f"answer {number} {len(results)}"
    if fault == "answers_another_number":
        head = f"answer {number + 1} {len(results)}"
    if fault == "counts_wrongly":
        head = f"answer {number} {len(results) + 1}"
    if version == 2:
        say(head)
    elif form == "binary" and fault != "forgets_ok":
        say("ok")
    if form == "binary":
        data = b"".join(struct.pack("<I", bits) for bits in results)
        if fault == "bytes_too_few":
            data = data[:-1]
        if fault == "bytes_too_many":
            data += b"\0"
        answers.write(data)
    else:
        end = "\r\n" if fault == "carriage_returns" else "\n"
        text = "".join(line + end for line in lines_of(results))
        if fault == "byte_by_byte":
            for at in range(0, 300):
                say(text[at:at + 1], end="")
            text = text[300:]
        if fault == "one_endless_line":
            flood(lambda: say("0" * 1000, end=""))
        answers.write(text.encode())
    if version == 2 and fault != "forgets_the_end":
        answers.write(f"end {number}\n".encode())
    if fault == "one_line_too_many_after_the_end":
        answers.write(b"00000000\n")
    answers.flush()


def before_reading(count):
    if fault == "answers_before_it_reads":
        say("\n".join(["3f000000"] * count))
        return True
    if fault == "ends_in_a_run":
        sys.exit(3)
    if fault.startswith("dies_") and LIFE == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "stops_reading":
        os.close(0)
        time.sleep(1000)
    if fault == "floods_errors":
        os.write(2, b"flood " * 100000)
    return False


def after_reading():
    if fault == "fails":
        return say("failed out of memory") or True
    if fault == "unsupported_in_a_run":
        return say("unsupported no more") or True
    if fault == "closes_its_output":
        answers.flush()
        os.close(1)
        time.sleep(1000)
    if fault == "hangs":
        time.sleep(1000)
    if fault == "starts_slowly":
        time.sleep(0.3)
    if fault == "forks":
        fork_and_wait()
    if fault == "speaks_between":
        say("Computing ...")
    return False


def fork_and_wait():
    """Two processes answer, the child first; neither goes on before both have answered."""
    global answered
    child_answered, child_answers = os.pipe()
    parent_answered, parent_answers = os.pipe()
    if os.fork() == 0:
        os.close(child_answered)
        os.close(parent_answers)
        answered = (child_answers, parent_answered)
        return
    os.close(child_answers)
    os.close(parent_answered)
    wait_for(child_answered)
    answered = (parent_answers, None)


def wait_for(pipe):
    """Until the other process closes its end."""
    if pipe is not None:
        os.read(pipe, 1)
        os.close(pipe)


answered = None  # what says so to the other process, and what it says it by


def run(number, function, hostile, count):
    global fault, runs, answered
    all_faults = fault
    if not hostile:
        fault = {"flushes_to_zero": fault}.get(fault, "none")
    else:
        runs += 1
    early = before_reading(count)
    if form == "binary":
        arguments = [bits for bits, in struct.iter_unpack("<I", requests.read(4 * count))]
    else:
        arguments = [int(requests.readline(), 16) for _ in range(count)]
    if not early and not after_reading():
        results = [function(bits) for bits in arguments]
        if hostile:
            spoil(results)
        send(number, results)
        if answered is not None:
            says, other_says = answered
            answered = None
            os.close(says)
            wait_for(other_says)
        # After the second run, which asks for a part again, nothing more is asked of the task.
        if fault == "one_line_too_many_late" and runs == 2:
            time.sleep(0.3)
            say("00000000")
        if fault == "an_answer_again_late" and runs == 2:
            time.sleep(0.3)
            send(number, results)
    fault = all_faults


def task(number, name):
    tail = f" {number}" if version == 2 else ""
    if name not in FUNCTIONS:
        return say(f"unsupported{tail} no {name}")
    if name == "sin" and fault == "agrees_in_other_words":
        return say("okay")
    say("ok" + tail)
    if name == "sin" and fault == "agrees_twice":
        say("ok" + tail)


greet()
name = ""
while line := requests.readline().decode():
    words = line.split()
    number = int(words.pop(1)) if version == 2 else 0
    if words[0] == "task":
        name = words[1]
        task(number, name)
    else:
        run(number, FUNCTIONS[name], name == "sin", int(words[2]))
