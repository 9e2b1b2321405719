"""Which results of the jobs of `images` a device may give, by testsuites/images (text.py, sampling.py).

The jobs expect the exact results; OpenCL C's chapter 8 allows others, too: 1.5 ulp where normalized integers are read,
0.6 where they are written, every order of the sums of a linear filter.  An element that differs is judged with the
image, the sampler and the coordinate of its launch.
"""

import pathlib
import re
import sys
from itertools import product

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "images"))

import sampling  # noqa: E402
import text  # noqa: E402

ADDRESSES = ["none", "clamp_to_edge", "clamp", "repeat", "mirrored_repeat"]
LITERAL = {"None": 0, "ClampToEdge": 1, "Clamp": 2, "Repeat": 3, "RepeatMirrored": 4}
BYTES = {"half": 2, "float": 4, "int": 4, "uint": 4}


def is_member(allowed, bits, kind):
    """kind: a format of text.FLOATS, or the number of bits of an unsigned or (negative) a signed integer."""
    if allowed == text.ANYTHING:
        return True
    if kind in text.FLOATS:
        width = text.FLOATS[kind][2]
        if text.decode_float(kind, bits) == "nan":
            return allowed[1]
        if bits in (0, 1 << (width - 1)):
            return allowed[3] if bits else allowed[2]
        place = text.index(kind, bits)
    else:
        place = text.signed(bits, -kind) if kind < 0 else bits
    return allowed[4] is not None and allowed[4] <= place <= allowed[5]


def picture_of(image, data):
    """The image of a job as sampling.Image takes it, with these bytes."""
    size = image["size"] + [1] * (3 - len(image["size"]))
    bytes_ = text.layout(image["order"], image["type"])[0]
    return sampling.Image({
        "order": image["order"], "type": image["type"], "dimensions": len(image["size"]),
        "arrayed": image["shape"].endswith("array"), "size": size, "layers": image.get("layers", 1),
        "row_pitch": size[0] * bytes_, "slice_pitch": size[0] * size[1] * bytes_, "data": data})


def words(data, size):
    return [int.from_bytes(data[at:at + size], "little") for at in range(0, len(data), size)]


class Job:
    """A job of images, its expectation, and what a device left in the files of `folder` by their names."""

    def __init__(self, path, job, folder):
        self.job, self.folder, self.name = job, pathlib.Path(folder), path.stem
        parts = self.name.removesuffix("_integers").removesuffix("_extended").split("_")
        self.integers = self.name.endswith("_integers")
        self.kind, self.as_type = parts[0], parts[-1] if parts[-1] in BYTES else "float"
        module = (path.parent / job["module"]).read_text()
        self.literals = [(LITERAL[mode], bool(int(normalized)), linear == "Linear") for mode, normalized, linear in
                         re.findall(r"OpConstantSampler %\w+ (\w+) (\d) (\w+)", module)]

    def found(self, name):
        return (self.folder / name).read_bytes()

    def given(self, name):
        """The components that a buffer of the job has at its start."""
        return [int(str(value), 0) for value in self.job["buffers"][name]["init"]["data"]]

    def components(self, name):
        shape = re.search(r"\d+$", self.job["buffers"][name]["type"])
        return int(shape[0]) if shape else 1

    def rows(self, name):
        size = self.components(name)
        values = self.given(name)
        return [values[at:at + size] for at in range(0, len(values), size)]

    def found_rows(self, name):
        size = self.components(name)
        values = words(self.found(name), BYTES[self.as_type])
        return [values[at:at + size] for at in range(0, len(values), size)]

    def judge(self, launch):
        """[why not] for every result of the launch that is not allowed; None where the job is of no kind that has
        other results than the exact ones."""
        arguments = launch["args"]
        image = self.job["images"][arguments[0]["image"]]
        start = picture_of(image, image["init"]["hex"])
        names = [argument["buffer"] for argument in arguments if "buffer" in argument]
        if self.name == "literal_samplers":
            samplers, places, colors = self.literals, self.rows(names[0]), self.found_rows(names[1])
            cases = [(at, *sampler) for sampler in samplers for at in places]
            return self.sampled(start, cases, colors)
        if self.kind == "sample":
            given = arguments[1]["sampler"]
            sampler = (ADDRESSES.index(given["address"]), given["normalized"], given["filter"] == "linear")
            cases = [(at, *sampler) for at in self.rows(names[0])]
            return self.sampled(start, cases, self.found_rows(names[1]))
        if self.kind == "read" and not self.name.startswith("read_write"):
            return self.read(start, self.rows(names[0]), self.found_rows(names[1]))
        if self.kind == "write" or self.name.startswith("read_write"):
            end = picture_of(image, self.found(arguments[0]["image"]).hex())
            wrong = self.written(start, end, self.rows(names[0]), self.rows(names[1]))
            if self.kind == "read":
                wrong += self.read(end, self.rows(names[0]), self.found_rows(names[2]))
            return wrong
        return None

    def wrong(self, image, what, sets, color):
        """Components of a color outside of their sets."""
        kind = self.as_type if self.as_type in text.FLOATS else -32 if self.as_type == "int" else 32
        return [f"{image.order} {image.type} {what}: component {i} is {value:#x}"
                for i, (allowed, value) in enumerate(zip(sets, color)) if not is_member(allowed, value, kind)]

    def read(self, image, places, colors):
        wrong = []
        for at, color in zip(places, colors):
            used = at[:image.dimensions] + ([at[image.dimensions]] if image.arrayed else [0])
            _, reason, sets = sampling.unsampled(image, {"at": used, "as": self.as_type})
            assert reason == "defined"
            wrong += self.wrong(image, f"read at {at}", sets, color)
        return wrong

    def sampled(self, image, cases, colors):
        wrong = []
        for (at, address, normalized, linear), color in zip(cases, colors):
            reason, _, choices = sampling.allowed(image, {
                "address": address, "normalized": normalized, "linear": linear, "integers": self.integers,
                "as": self.as_type, "at": at})
            assert reason == "defined"
            what = (f"{ADDRESSES[address]}, {'linear' if linear else 'nearest'}"
                    f"{', normalized' if normalized else ''} at {[f'{value:#x}' for value in at]}")
            each = [self.wrong(image, what, sets, color) for sets in choices]
            wrong += min(each, key=len)
        return wrong

    def written(self, start, end, places, colors):
        """The elements that are written, and that no other changes."""
        wrong, untouched = [], set(product(range(start.layers), *(range(side) for side in reversed(start.size))))
        for at, color in zip(places, colors):
            place, layer = at[:start.dimensions], at[start.dimensions] if start.arrayed else 0
            untouched.discard((layer, *reversed(place + [0] * (3 - len(place)))))
            fields = text.element_fields(end.order, end.type, end.element(place, layer))
            for channel, (bits, width) in fields.items():
                given = color[text.channel_component(channel)]
                _, allowed, _ = text.write_field(end.order, end.type, channel, width, given, self.as_type)
                kind = text.TYPES[end.type][1]
                kind = kind if kind in text.FLOATS else -width if kind in ("snorm", "int") else width
                if not is_member(allowed, bits, kind):
                    wrong.append(f"{end.order} {end.type} write at {at}: {channel} of {given:#x} is {bits:#x}")
        for layer, z, y, x in sorted(untouched):
            if start.element([x, y, z], layer) != end.element([x, y, z], layer):
                wrong.append(f"{end.order} {end.type}: the element at {[x, y, z]}, layer {layer}, is changed")
        return wrong
