#!/usr/bin/env python3
"""image_judge.py on results that are made from what the jobs of `images` expect.

What is expected is allowed.  A number next to it is allowed where the text of OpenCL C's chapter 8 leaves room for it,
and nowhere else: each case below says which, with the reason.
"""

import json
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True

import image_judge  # noqa: E402

IMAGES = pathlib.Path(__file__).resolve().parent / "images"


def expected_bytes(job, name):
    if name in job.get("expect", {}).get("images", {}):
        return bytearray.fromhex(job["expect"]["images"][name]["hex"])
    if name in job["images"]:
        return bytearray.fromhex(job["images"][name]["init"]["hex"])
    data = job["expect"]["buffers"][name]["data"]
    size = image_judge.BYTES["half" if "half" in job["buffers"][name]["type"] else "float"]
    return bytearray(b"".join(int(str(value), 0).to_bytes(size, "little") for value in data))


def judged(stem, number, change=None):
    """The verdict of launch `number` with `change(name, bytes)` applied to each of its expected results."""
    path = IMAGES / f"{stem}.json"
    job = json.loads(path.read_text())
    launch = job["launches"][number]
    with tempfile.TemporaryDirectory() as folder:
        for argument in launch["args"]:
            name = argument.get("image") or argument.get("buffer")
            if name is None or (name in job["buffers"] and name not in job["expect"].get("buffers", {})):
                continue
            data = expected_bytes(job, name)
            if change:
                change(name, data)
            (pathlib.Path(folder) / name).write_bytes(data)
        return image_judge.Job(path, job, folder).judge(launch)


def launch_of(stem, order, type_name, **sampler):
    job = json.loads((IMAGES / f"{stem}.json").read_text())
    for number, launch in enumerate(job["launches"]):
        image = job["images"][launch["args"][0]["image"]]
        given = next((a["sampler"] for a in launch["args"] if "sampler" in a), {})
        if (image["order"], image["type"]) == (order, type_name) and sampler.items() <= given.items():
            return number
    raise KeyError((stem, order, type_name, sampler))


def add(letter, steps, at=0, size=4):
    """Changes a component of the buffer or image whose name begins with the letter, by `steps` numbers."""
    def change(name, data):
        if name[0] == letter:
            value = int.from_bytes(data[at * size:(at + 1) * size], "little")
            data[at * size:(at + 1) * size] = ((value + steps) % (1 << 8 * size)).to_bytes(size, "little")
    return change


def cases():
    """(what, verdict, whether it must be allowed)"""
    normalized = launch_of("read_2d_float", "CL_RGBA", "CL_UNORM_INT8")
    exact = launch_of("read_2d_float", "CL_RGBA", "CL_FLOAT")
    integer = launch_of("read_2d_uint", "CL_RGBA", "CL_UNSIGNED_INT8")
    for stem, number in [("read_2d_float", normalized), ("read_2d_float", exact), ("read_2d_uint", integer)]:
        yield f"{stem} {number}", judged(stem, number), True
    yield "1 ulp of a normalized read (1.5 are allowed)", judged("read_2d_float", normalized, add("c", 1)), True
    yield "3 ulp of a normalized read", judged("read_2d_float", normalized, add("c", 3)), False
    yield "3 ulp less of a normalized read", judged("read_2d_float", normalized, add("c", -3)), False
    yield "1 ulp of a float read", judged("read_2d_float", exact, add("c", 1)), False
    yield "another integer", judged("read_2d_uint", integer, add("c", 1)), False

    for address, linear in [("clamp_to_edge", "linear"), ("repeat", "linear"), ("clamp", "nearest")]:
        number = launch_of("sample_2d_float", "CL_RGBA", "CL_UNORM_INT8", address=address, filter=linear,
                           normalized=True)
        yield f"{address} {linear}", judged("sample_2d_float", number), True
        yield f"{address} {linear}, far off", judged("sample_2d_float", number, add("d", 1 << 16)), False
    number = launch_of("sample_2d_float", "CL_RGBA", "CL_FLOAT", address="clamp_to_edge", filter="nearest",
                       normalized=False)
    yield "exact selection of a float", judged("sample_2d_float", number), True
    yield "1 ulp of it", judged("sample_2d_float", number, add("d", 1)), False
    yield "literal samplers", judged("literal_samplers", 0), True
    yield "a literal sampler's color, far off", judged("literal_samplers", 0, add("c", 1 << 16, at=4)), False

    written = launch_of("write_2d_float", "CL_RGBA", "CL_SNORM_INT8")
    yield "a write", judged("write_2d_float", written), True
    yield "a write that is off by 2", judged("write_2d_float", written, add("a", 2, size=1)), False
    both = launch_of("read_write_2d_float", "CL_RGBA", "CL_UNORM_INT16")
    yield "a write and a read", judged("read_write_2d_float", both), True
    yield "the read is off", judged("read_write_2d_float", both, add("d", 64)), False
    yield "the write is off", judged("read_write_2d_float", both, add("a", 2, size=2)), False
    yield "a query has no other results than the exact ones", judged("query_2d", 0) is None, True


def main():
    wrong = 0
    for what, verdict, allowed in cases():
        found = verdict if isinstance(verdict, bool) else verdict == []
        if found != bool(allowed):
            wrong += 1
            print(f"{what}: {verdict}, which should be {'allowed' if allowed else 'wrong'}")
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
