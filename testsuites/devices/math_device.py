"""What devices of math functions have in common: the binary form of docs/pipe-protocol.md.

A device gives serve() its declarations and a function that prepares a task.
"""
import sys

SIZES = {"half": 2, "float": 4, "double": 8, "int": 4}


class Unsupported(Exception):
    """The device has no such function."""


def sizes(form, kinds):
    """The bytes of an element of each column; the kind T is the format's own type."""
    return [SIZES[form if kind == "T" else kind] for kind in kinds]


def read_exactly(stream, size):
    data = stream.read(size)
    if len(data) != size:
        sys.exit("the request ended too early")
    return data


def serve(declarations, prepare, requests=None, answers=None):
    """The protocol, until the end of the input.

    prepare(name, form, math) gives the sizes of the operands' elements and a function that computes columns of results from columns
    of operands and their count; columns are bytes. It raises Unsupported where there is no such function. RuntimeError, of both, is
    an answer `failed`.
    """
    requests, answers = requests or sys.stdin.buffer, answers or sys.stdout.buffer

    def say(line):
        answers.write(line.replace("\n", " ").encode() + b"\n")
        answers.flush()

    for line in ("assay-pipe/2 binary", *declarations, "ready"):
        say(line)
    operands, compute = [], None
    while line := requests.readline().decode():
        verb, identifier, *words = line.split()
        try:
            if verb == "task":  # task ID NAME FORMAT MATH [BUILD OPTIONS]
                operands, compute = prepare(*words[:3])
                say(f"ok {identifier}")
            else:  # run ID WIDTH COUNT
                count = int(words[1])
                columns = [read_exactly(requests, size * count) for size in operands]
                results = compute(columns, count)
                say(f"answer {identifier} {count}")
                for column in results:
                    answers.write(column)
                say(f"end {identifier}")
        except Unsupported as error:
            say(f"unsupported {identifier} {error}")
        except RuntimeError as error:
            say(f"failed {identifier} {error}")
