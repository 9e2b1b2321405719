"""Kernels of image_jobs.py: images with random elements, and jobs that launch one kernel for many of them."""

import os
import random
import sys
from itertools import product

from spirv_text import HERE, Module, buffer, expectation, filled, write

sys.path.append(os.path.join(os.path.dirname(HERE), "images"))

import text  # noqa: E402

# (dimensions of an element's place, arrayed, components of a coordinate, size, layers, type without access)
SHAPES = {
    "1d": (1, False, 1, [5], 1, "1D 0 0 0"),
    "1d_buffer": (1, False, 1, [7], 1, "Buffer 0 0 0"),
    "1d_array": (1, True, 2, [4], 3, "1D 0 1 0"),
    "2d": (2, False, 2, [4, 3], 1, "2D 0 0 0"),
    "2d_array": (2, True, 4, [3, 2], 2, "2D 0 1 0"),
    "3d": (3, False, 4, [3, 2, 2], 1, "3D 0 0 0"),
    "2d_depth": (2, False, 2, [4, 3], 1, "2D 1 0 0"),
    "2d_array_depth": (2, True, 4, [3, 2], 2, "2D 1 1 0"),
}
CAPABILITIES = {"1d": ["Sampled1D"], "1d_array": ["Sampled1D"], "1d_buffer": ["SampledBuffer"]}
SCALAR = {"float": "float", "half": "half", "int": "uint", "uint": "uint"}
ADDRESSES = ["none", "clamp_to_edge", "clamp", "repeat", "mirrored_repeat"]


def vector(scalar, count):
    return scalar if count == 1 else f"v{count}{scalar}"


def is_depth(shape):
    return shape.endswith("depth")


def formats(as_type, shape):
    """Every order and type that such a read or write is defined for."""
    for order, type_name in product(text.ORDERS, text.TYPES):
        depth = order in ("CL_DEPTH", "CL_DEPTH_STENCIL")
        if text.is_valid(order, type_name) and depth == is_depth(shape):
            if text.check_read(type_name, as_type) == "defined":
                yield order, type_name


class Picture:
    """An image of a shape with random bits."""

    def __init__(self, shape, order, type_name, seed, finite=False, size=None):
        self.shape, self.order, self.type = shape, order, type_name
        self.dimensions, self.arrayed, self.components, self.size, self.layers, _ = SHAPES[shape]
        self.size = size or self.size
        self.bytes, fields = text.layout(order, type_name)
        count = self.layers
        for side in self.size:
            count *= side
        generator = random.Random(f"{order} {type_name} {seed}")
        self.data = generator.randbytes(count * self.bytes)
        kind = text.TYPES[type_name][1]
        if finite and kind in ("half", "float"):
            data = bytearray()
            for _ in range(count * len(fields)):
                value = generator.randrange(-4096, 4097) / 64
                data += text.round_to(kind, text.Fraction(value), "rte").to_bytes(2 if kind == "half" else 4, "little")
            assert len(data) == len(self.data) or "x" in text.ORDERS[order] or order == "CL_DEPTH_STENCIL"
            self.data = bytes(data) if len(data) == len(self.data) else self.data
        full = self.size + [1] * (3 - len(self.size))
        self.case = {"order": order, "type": type_name, "dimensions": self.dimensions, "arrayed": self.arrayed,
                     "size": full, "layers": self.layers, "row_pitch": full[0] * self.bytes,
                     "slice_pitch": full[0] * full[1] * self.bytes, "data": self.data.hex()}

    def elements(self):
        """The coordinates of all elements, as many components as the instruction takes."""
        sides = self.size + ([self.layers] if self.arrayed else [])
        for at in product(*(range(side) for side in reversed(sides))):
            at = list(reversed(at))
            yield at + [0] * (self.components - len(at))

    def job(self, data=None, **more):
        shape = self.shape.removesuffix("_depth")
        image = {"shape": shape, "size": self.size, "order": self.order, "type": self.type,
                 "init": {"hex": (self.data if data is None else data).hex()}, **more}
        if self.arrayed:
            image["layers"] = self.layers
        return image


def module_for(shape, access, declarations="", capabilities=(), version="1.2"):
    more = ["ImageBasic", *CAPABILITIES.get(shape, []), *capabilities]
    if access == "ReadWrite":
        more.append("ImageReadWrite")
    module = Module(version=version, capabilities=more)
    module.declare(f"%image_t = OpTypeImage %void {SHAPES[shape][5]} 0 Unknown {access}\n" + declarations)
    return module


HEAD = """%gid3 = OpLoad %v3ulong %GlobalInvocationId
%gid = OpCompositeExtract %ulong %gid3 0
"""


def load(name, kind, pointer):
    return (f"%p_{name} = OpInBoundsPtrAccessChain %G_{kind} %{pointer} %gid\n"
            f"%{name} = OpLoad %{kind} %p_{name}\n")


def store(kind, pointer, value):
    return (f"%p_{pointer} = OpInBoundsPtrAccessChain %G_{kind} %{pointer} %gid\n"
            f"OpStore %p_{pointer} %{value}\n")


class Launches:
    """Launches of one kernel, each with its own image and buffers."""

    def __init__(self):
        self.buffers, self.images, self.launches = {}, {}, []
        self.expect = {"buffers": {}, "images": {}}

    def add(self, items, *arguments):
        """arguments: ("image", job, expected hex or None), ("in", type, data), ("out", type, data), ("sampler", job)"""
        number = len(self.launches)
        args = []
        for place, (what, *rest) in enumerate(arguments):
            name = f"{'abcdefgh'[place]}{number}"
            if what == "sampler":
                args.append({"sampler": rest[0]})
                continue
            if what == "image":
                self.images[name] = rest[0]
                if rest[1] is not None:
                    self.expect["images"][name] = {"hex": rest[1]}
                args.append({"image": name})
                continue
            kind, data = rest
            if what == "in":
                self.buffers[name] = buffer(kind, data)["buffer"]
            else:
                count = len(data) // (int(kind[1]) if kind[0] == "v" else 1)
                self.buffers[name] = filled(kind, count)["buffer"]
                self.expect["buffers"][name] = expectation(kind, data)
            args.append({"buffer": name})
        self.launches.append({"global": [items], "args": args})

    def write(self, name, module):
        expect = {key: value for key, value in self.expect.items() if value}
        write(name, module, {"kernel": "test", **({"buffers": self.buffers} if self.buffers else {}),
                             "images": self.images, "launches": self.launches, "expect": expect})


def flat(rows):
    return [value for row in rows for value in row]
