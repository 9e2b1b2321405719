"""Images and samplers: reads and writes of every format, shape and sampler, and queries.

What is expected comes from testsuites/images (text.py, sampling.py): the formulas of OpenCL C chapter 8 in fractions.
"""

import random
from itertools import product

from image_family import (ADDRESSES, HEAD, SCALAR, SHAPES, Launches, Picture, flat, formats, is_depth, load, module_for,
                          store, vector)
from spirv_text import Module

import sampling  # on the path by image_family
import text

# ---- Reads without a sampler --------------------------------------------------------------------


def unsampled(shape, as_type, extend):
    result = vector(SCALAR[as_type], 1 if is_depth(shape) else 4)
    coordinate = vector("uint", SHAPES[shape][2])
    operand = f" {'SignExtend' if as_type == 'int' else 'ZeroExtend'}" if extend else ""
    module = module_for(shape, "ReadOnly", version="1.4" if extend else "1.2")
    body = HEAD + load("at", coordinate, "in") + f"%read = OpImageRead %{result} %image %at{operand}\n"
    module.kernel("test", [("image", "image_t"), ("in", f"G_{coordinate}"), ("out", f"G_{result}")],
                  body + store(result, "out", "read"))
    job = Launches()
    for order, type_name in formats(as_type, shape):
        picture = Picture(shape, order, type_name, f"unsampled {shape}")
        places = list(picture.elements())
        colors = []
        for at in places:
            used = at[:picture.dimensions] + ([at[picture.dimensions]] if picture.arrayed else [0])
            color, reason, _ = sampling.unsampled(sampling.Image(picture.case),
                                                  {"at": used, "as": as_type})
            assert reason == "defined"
            colors.append(color[:1] if is_depth(shape) else color)
        job.add(len(places), ("image", picture.job(), None), ("in", coordinate, flat(places)),
                ("out", result, flat(colors)))
    job.write(f"images/read_{shape}_{as_type}{'_extended' if extend else ''}", module)


# ---- Writes -------------------------------------------------------------------------------------


def colors_for(as_type, count, seed):
    generator = random.Random(f"colors {as_type} {seed}")
    result = []
    for _ in range(count):
        if as_type in ("int", "uint"):
            result.append([generator.choice([0, 1, 127, 128, 255, 65535, 2**31 - 1, 2**31, 2**32 - 1,
                                             generator.getrandbits(32)]) for _ in range(4)])
        else:
            result.append([text.round_to(as_type, text.Fraction(generator.choice(
                [-70000, -300, -64, -1, 0, 1, 31, 32, 63, 64, 65, 100, 1000, generator.randrange(-80, 80)]), 64), "rte")
                for _ in range(4)])
    return result


def written(picture, places, colors, as_type):
    data = bytearray(picture.data)
    _, fields = text.layout(picture.order, picture.type)
    for at, color in zip(places, colors):
        full = at[:picture.dimensions] + [0] * (3 - picture.dimensions)
        layer = at[picture.dimensions] if picture.arrayed else 0
        start = (full[0] * picture.bytes + full[1] * picture.case["row_pitch"] +
                 (full[2] + layer) * picture.case["slice_pitch"])
        element = 0
        for channel, (low, width) in fields.items():
            bits = color[text.channel_component(channel)]
            element |= text.write_field(picture.order, picture.type, channel, width, bits, as_type)[0] << low
        data[start:start + picture.bytes] = element.to_bytes(picture.bytes, "little")
    return bytes(data)


def writes(shape, as_type, access="WriteOnly"):
    color_type = vector(SCALAR[as_type], 1 if is_depth(shape) else 4)
    coordinate = vector("uint", SHAPES[shape][2])
    module = module_for(shape, access)
    body = HEAD + load("at", coordinate, "in") + load("color", color_type, "colors")
    parameters = [("image", "image_t"), ("in", f"G_{coordinate}"), ("colors", f"G_{color_type}")]
    body += "OpImageWrite %image %at %color\n"
    if access == "ReadWrite":
        parameters.append(("out", f"G_{color_type}"))
        body += "OpMemoryBarrier %uint_4 %uint_2056\n"  # Invocation; AcquireRelease and ImageMemory
        body += f"%read = OpImageRead %{color_type} %image %at\n" + store(color_type, "out", "read")
    module.kernel("test", parameters, body)
    job = Launches()
    for order, type_name in formats("float" if as_type == "half" else as_type, shape):
        picture = Picture(shape, order, type_name, f"write {shape}")
        places = list(picture.elements())
        colors = colors_for(as_type, len(places), f"{order} {type_name} {shape}")
        data = written(picture, places, colors, as_type)
        arguments = [("image", picture.job(), data.hex()), ("in", coordinate, flat(places)),
                     ("in", color_type, flat(c[:1] if is_depth(shape) else c for c in colors))]
        if access == "ReadWrite":
            image = sampling.Image({**picture.case, "data": data.hex()})
            read = [sampling.unsampled(image, {"at": at[:picture.dimensions] +
                                               ([at[picture.dimensions]] if picture.arrayed else [0]),
                                               "as": as_type})[0] for at in places]
            arguments.append(("out", color_type, flat(c[:1] if is_depth(shape) else c for c in read)))
        job.add(len(places), *arguments)
    job.write(f"images/{'write' if access == 'WriteOnly' else 'read_write'}_{shape}_{as_type}", module)


# ---- Reads with a sampler -----------------------------------------------------------------------

SAMPLED_FORMATS = {
    "float": [("CL_RGBA", "CL_UNORM_INT8"), ("CL_BGRA", "CL_UNORM_INT8"), ("CL_R", "CL_FLOAT"),
              ("CL_RG", "CL_SNORM_INT16"), ("CL_A", "CL_HALF_FLOAT"), ("CL_sRGBA", "CL_UNORM_INT8"),
              ("CL_RGB", "CL_UNORM_SHORT_565"), ("CL_RGBA", "CL_FLOAT"), ("CL_LUMINANCE", "CL_UNORM_INT16")],
    "half": [("CL_RGBA", "CL_UNORM_INT8"), ("CL_R", "CL_HALF_FLOAT")],
    "int": [("CL_RGBA", "CL_SIGNED_INT8"), ("CL_R", "CL_SIGNED_INT32")],
    "uint": [("CL_RGBA", "CL_UNSIGNED_INT16"), ("CL_RG", "CL_UNSIGNED_INT8")],
}
DEPTH_FORMATS = [("CL_DEPTH", "CL_FLOAT"), ("CL_DEPTH", "CL_UNORM_INT16")]


def float_coordinates(picture, normalized, generator):
    """Inside, at the ties of a nearest filter, at the edges, and outside."""
    places = []
    for _ in range(8):
        place = []
        for side in picture.size:
            u = generator.choice([-1.5, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5, side - 1, side - 0.75, side - 0.5,
                                  side - 0.25, side, side + 0.5, side + 2.25, generator.uniform(-1, side + 1)])
            place.append(u / side if normalized else u)
        if picture.arrayed:
            place.append(generator.choice([-1, 0, 0.25, 0.5, 1, 1.5, 2.5, 7]))
        place += [0] * (picture.components - len(place))
        places.append([text.round_to("float", text.Fraction(value), "rte") for value in place])
    return places


def integer_coordinates(picture, generator):
    sides = picture.size + ([picture.layers] if picture.arrayed else [])
    return [[generator.randrange(-2, side + 2) % 2**32 for side in sides] + [0] * (picture.components - len(sides))
            for _ in range(8)]


def color_of(picture, case):
    colors, reason = sampling.read(sampling.Image(picture.case), {**picture.case, **case})
    return colors["rte"], reason


def sampled(shape, as_type, integers):
    result = vector(SCALAR[as_type], 1 if is_depth(shape) else 4)
    coordinate = vector("uint" if integers else "float", SHAPES[shape][2])
    module = module_for(shape, "ReadOnly", "%sampler_t = OpTypeSampler\n%sampled_t = OpTypeSampledImage %image_t")
    body = HEAD + load("at", coordinate, "in")
    body += "%sampled = OpSampledImage %sampled_t %image %sampler\n"
    color = vector(SCALAR[as_type], 4)
    value = "first" if is_depth(shape) else "read"
    body += f"%read = OpImageSampleExplicitLod %{color} %sampled %at Lod %float_0\n"
    if is_depth(shape):
        body += f"%first = OpCompositeExtract %{result} %read 0\n"
    module.kernel("test", [("image", "image_t"), ("sampler", "sampler_t"), ("in", f"G_{coordinate}"),
                           ("out", f"G_{result}")], body + store(result, "out", value))
    job = Launches()
    chosen = DEPTH_FORMATS if is_depth(shape) else SAMPLED_FORMATS[as_type]
    if shape != "2d":
        chosen = chosen[:3]
    for address, linear, normalized in product(range(5), (False, True), (False, True)):
        if address >= sampling.REPEAT and not normalized or linear and as_type in ("int", "uint"):
            continue
        if integers and not sampling.is_exact(address, linear, normalized):
            continue
        for order, type_name in chosen:
            picture = Picture(shape, order, type_name, f"sampled {shape}", finite=linear)
            generator = random.Random(f"{shape} {as_type} {order} {type_name} {address} {linear} {normalized}")
            places, colors = [], []
            candidates = (integer_coordinates(picture, generator) if integers
                          else float_coordinates(picture, normalized, generator))
            for at in candidates:
                color, reason = color_of(picture, {"address": address, "linear": linear, "normalized": normalized,
                                                   "integers": integers, "as": as_type, "at": at})
                if reason == "defined":
                    places.append(at)
                    colors.append(color[:1] if is_depth(shape) else color)
            if not places:
                continue
            sampler = {"address": ADDRESSES[address], "filter": "linear" if linear else "nearest",
                       "normalized": normalized}
            job.add(len(places), ("image", picture.job(), None), ("sampler", sampler),
                    ("in", coordinate, flat(places)), ("out", result, flat(colors)))
    job.write(f"images/sample_{shape}_{as_type}{'_integers' if integers else ''}", module)


# ---- Literal samplers, images of sampled images, functions --------------------------------------


def literals():
    names = ["None", "ClampToEdge", "Clamp", "Repeat", "RepeatMirrored"]
    # Not "None": one of the two places is outside.
    combinations = [(a, l, n) for a, l, n in product(range(1, 5), (False, True), (False, True))
                    if n or a < sampling.REPEAT]
    declarations = "%sampler_t = OpTypeSampler\n%sampled_t = OpTypeSampledImage %image_t\n"
    picture = Picture("2d", "CL_RGBA", "CL_UNORM_INT8", "literals")
    places = [[text.round_to("float", text.Fraction(v), "rte") for v in place] for place in [(0.3125, 0.625), (1.5, 1.25)]]
    body, rows = HEAD + load("at", "v2float", "in"), []
    for number, (address, linear, normalized) in enumerate(combinations):
        declarations += (f"%s{number} = OpConstantSampler %sampler_t {names[address]} {int(normalized)} "
                         f"{'Linear' if linear else 'Nearest'}\n")
        body += (f"%j{number} = OpSampledImage %sampled_t %image %s{number}\n"
                 f"%r{number} = OpImageSampleExplicitLod %v4float %j{number} %at Lod %float_0\n"
                 f"%i{number} = OpIAdd %ulong %gid %ulong_{2 * number}\n"
                 f"%p{number} = OpInBoundsPtrAccessChain %G_v4float %out %i{number}\n"
                 f"OpStore %p{number} %r{number}\n")
        for at in places:
            color, reason = color_of(picture, {"address": address, "linear": linear, "normalized": normalized,
                                               "integers": False, "as": "float", "at": at})
            assert reason == "defined"
            rows.append(color)
    module = module_for("2d", "ReadOnly", declarations, capabilities=["LiteralSampler"])
    module.kernel("test", [("image", "image_t"), ("in", "G_v2float"), ("out", "G_v4float")], body)
    job = Launches()
    job.add(2, ("image", picture.job(), None), ("in", "v2float", flat(places)), ("out", "v4float", flat(rows)))
    job.write("images/literal_samplers", module)


def passed():
    """Through a function, and out of a sampled image again."""
    module = module_for("2d", "ReadOnly", "%sampler_t = OpTypeSampler\n%sampled_t = OpTypeSampledImage %image_t\n"
                        "%f_t = OpTypeFunction %v4float %image_t %sampler_t %v2uint")
    module.function("""%f = OpFunction %v4float None %f_t
%fi = OpFunctionParameter %image_t
%fs = OpFunctionParameter %sampler_t
%fa = OpFunctionParameter %v2uint
%f_entry = OpLabel
%fj = OpSampledImage %sampled_t %fi %fs
%fk = OpImage %image_t %fj
%plain = OpImageRead %v4float %fk %fa
%fr = OpImageSampleExplicitLod %v4float %fj %fa Lod %float_0
%sum = OpFAdd %v4float %plain %fr
OpReturnValue %sum
OpFunctionEnd""")
    body = HEAD + load("at", "v2uint", "in") + "%r = OpFunctionCall %v4float %f %image %sampler %at\n"
    module.kernel("test", [("image", "image_t"), ("sampler", "sampler_t"), ("in", "G_v2uint"),
                           ("out", "G_v4float")], body + store("v4float", "out", "r"))
    picture = Picture("2d", "CL_RGBA", "CL_FLOAT", "passed", finite=True)
    places = list(picture.elements())
    colors = []
    for at in places:
        color = sampling.unsampled(sampling.Image(picture.case), {"at": at + [0], "as": "float"})[0]
        doubled = [text.round_to("float", 2 * text.Fraction(0 if value == "-0" else value), "rte")
                   for value in (text.decode_float("float", bits) for bits in color)]
        colors.append(doubled)
    job = Launches()
    sampler = {"address": "clamp", "filter": "nearest", "normalized": False}
    job.add(len(places), ("image", picture.job(), None), ("sampler", sampler), ("in", "v2uint", flat(places)),
            ("out", "v4float", flat(colors)))
    job.write("images/passed", module)


# ---- Queries ------------------------------------------------------------------------------------


def queries():
    for shape, (dimensions, arrayed, _, size, layers, _) in SHAPES.items():
        wanted = size + ([layers] if arrayed else [])
        module = module_for(shape, "ReadOnly")
        kind = vector("uint", len(wanted))
        sized = f"OpImageQuerySize %{kind} %image" if shape == "1d_buffer" else \
            f"OpImageQuerySizeLod %{kind} %image %uint_0"
        body = HEAD + f"%size = {sized}\n%type = OpImageQueryFormat %uint %image\n%order = OpImageQueryOrder %uint %image\n"
        values = []
        for i in range(len(wanted)):
            if len(wanted) == 1:
                values.append("size")
            else:
                body += f"%side{i} = OpCompositeExtract %uint %size {i}\n"
                values.append(f"side{i}")
        values += ["type", "order"]
        for i, value in enumerate(values):
            body += (f"%q{i} = OpInBoundsPtrAccessChain %G_uint %out %ulong_{i}\n"
                     f"OpStore %q{i} %{value}\n")
        module.kernel("test", [("image", "image_t"), ("out", "G_uint")], body)
        job = Launches()
        chosen = DEPTH_FORMATS if is_depth(shape) else [("CL_RGBA", "CL_UNORM_INT8"), ("CL_R", "CL_FLOAT")]
        for order, type_name in chosen:
            picture = Picture(shape, order, type_name, "queries")
            job.add(1, ("image", picture.job(), None),
                    ("out", "uint", wanted + [text.TYPES[type_name][0] - 0x10D0, text.ORDER_NUMBERS[order] - 0x10B0]))
        job.write(f"images/query_{shape}", module)


# ---- Levels and samples -------------------------------------------------------------------------


def levels():
    """Reads at levels of detail, writes to levels, their sizes and number."""
    size, count = [8, 4], 4
    sizes = [[max(1, side >> level) for side in size] for level in range(count)]
    pictures = [Picture("2d", "CL_RGBA", "CL_UNORM_INT8", f"level {i}", size=s) for i, s in enumerate(sizes)]
    whole = b"".join(picture.data for picture in pictures)
    image = {**pictures[0].job(data=whole), "levels": count}
    module = module_for("2d", "ReadOnly", "%sampler_t = OpTypeSampler\n%sampled_t = OpTypeSampledImage %image_t")
    body = HEAD + load("at", "v2float", "in") + load("lod", "float", "lods")
    body += "%sampled = OpSampledImage %sampled_t %image %sampler\n"
    body += "%read = OpImageSampleExplicitLod %v4float %sampled %at Lod %lod\n" + store("v4float", "out", "read")
    body += "%levels = OpImageQueryLevels %uint %image\n%size = OpImageQuerySizeLod %v2uint %image %uint_2\n"
    body += "%width = OpCompositeExtract %uint %size 0\n%height = OpCompositeExtract %uint %size 1\n"
    for i, value in enumerate(["levels", "width", "height"]):
        body += f"%q{i} = OpInBoundsPtrAccessChain %G_uint %asked %ulong_{i}\nOpAtomicStore %q{i} %uint_1 %uint_0 %{value}\n"
    module.kernel("test", [("image", "image_t"), ("sampler", "sampler_t"), ("in", "G_v2float"), ("lods", "G_float"),
                           ("out", "G_v4float"), ("asked", "G_uint")], body)
    job = Launches()
    to_float = lambda value: text.round_to("float", text.Fraction(value), "rte")  # noqa: E731
    for between, linear in product((False, True), (False, True)):
        generator = random.Random(f"levels {between} {linear}")
        places, lods, colors = [], [], []
        for lod in [-1, 0, 0.25, 0.5, 0.75, 1, 1.5, 1.625, 2, 2.5, 2.75, 3, 9]:
            at = [to_float(generator.choice([0.125, 0.25, 0.5, 0.75, 0.8125, 1.25])) for _ in range(2)]
            case = {"levels": [p.case for p in pictures], "lod": to_float(lod), "lod_min": to_float(0.25),
                    "lod_max": to_float(2.75), "between": between, "as": "float", "at": at, "integers": False,
                    "address": sampling.REPEAT, "linear": linear, "normalized": True}
            colors_, reason = sampling.read_mip(case)
            assert reason == "defined"
            places.append(at)
            lods.append(to_float(lod))
            colors.append(colors_["rte"])
        sampler = {"address": "repeat", "filter": "linear" if linear else "nearest", "normalized": True,
                   "mip_filter": "linear" if between else "nearest", "lod_min": 0.25, "lod_max": 2.75}
        job.add(len(places), ("image", image, None), ("sampler", sampler), ("in", "v2float", flat(places)),
                ("in", "float", lods), ("out", "v4float", flat(colors)),
                ("out", "uint", [count, sizes[2][0], sizes[2][1]]))
    job.write("images/levels_read", module)

    # Gradients: along each axis powers of two, whose logarithm is a whole number.
    module = module_for("2d", "ReadOnly", "%sampler_t = OpTypeSampler\n%sampled_t = OpTypeSampledImage %image_t")
    body = HEAD + load("at", "v2float", "in") + load("dx", "v2float", "dxs") + load("dy", "v2float", "dys")
    body += "%sampled = OpSampledImage %sampled_t %image %sampler\n"
    body += "%read = OpImageSampleExplicitLod %v4float %sampled %at Grad %dx %dy\n" + store("v4float", "out", "read")
    module.kernel("test", [("image", "image_t"), ("sampler", "sampler_t"), ("in", "G_v2float"), ("dxs", "G_v2float"),
                           ("dys", "G_v2float"), ("out", "G_v4float")], body)
    job = Launches()
    places, dxs, dys, colors = [], [], [], []
    for level, (dx, dy) in [(0, ((1 / 8, 0), (0, 1 / 8))), (1, ((1 / 4, 0), (0, 0))), (2, ((1 / 8, 0), (0, 1))),
                            (3, ((1, 0), (0, 1 / 8))), (3, ((4, 0), (0, 4))), (0, ((0, 0), (0, 0)))]:
        at = [to_float(0.3), to_float(0.6)]
        case = {"address": sampling.CLAMP_TO_EDGE, "linear": False, "normalized": True, "integers": False,
                "as": "float", "at": at}
        places.append(at)
        dxs.append([to_float(v) for v in dx])
        dys.append([to_float(v) for v in dy])
        colors.append(color_of(pictures[level], case)[0])
    sampler = {"address": "clamp_to_edge", "filter": "nearest", "normalized": True}
    job.add(len(places), ("image", image, None), ("sampler", sampler), ("in", "v2float", flat(places)),
            ("in", "v2float", flat(dxs)), ("in", "v2float", flat(dys)), ("out", "v4float", flat(colors)))
    job.write("images/levels_gradients", module)

    module = module_for("2d", "WriteOnly")
    body = HEAD + load("at", "v2uint", "in") + load("level", "uint", "levels") + load("color", "v4float", "colors")
    module.kernel("test", [("image", "image_t"), ("in", "G_v2uint"), ("levels", "G_uint"), ("colors", "G_v4float")],
                  body + "OpImageWrite %image %at %color Lod %level\n")
    places = [[0, 0], [7, 3], [3, 1], [0, 1], [1, 0], [0, 0]]
    chosen = [0, 0, 1, 1, 2, 3]
    colors = colors_for("float", len(places), "levels")
    data = list(picture.data for picture in pictures)
    for at, level, color in zip(places, chosen, colors):
        data[level] = written(pictures[level], [at], [color], "float")
        pictures[level].data = data[level]
    job = Launches()
    job.add(len(places), ("image", image, b"".join(data).hex()), ("in", "v2uint", flat(places)), ("in", "uint", chosen),
            ("in", "v4float", flat(colors)))
    job.write("images/levels_write", module)


def samples():
    for shape in ("2d", "2d_array", "2d_depth", "2d_array_depth"):
        _, arrayed, components, size, layers, declared = SHAPES[shape]
        result = vector("float", 1 if is_depth(shape) else 4)
        coordinate = vector("uint", components)
        module = Module(capabilities=["ImageBasic"])
        module.declare(f"%image_t = OpTypeImage %void {declared[:-1]}1 0 Unknown ReadOnly")
        body = HEAD + load("at", coordinate, "in") + load("sample", "uint", "samples")
        body += f"%read = OpImageRead %{result} %image %at Sample %sample\n" + store(result, "out", "read")
        body += "%count = OpImageQuerySamples %uint %image\n"
        body += "%q = OpInBoundsPtrAccessChain %G_uint %asked %ulong_0\nOpAtomicStore %q %uint_1 %uint_0 %count\n"
        module.kernel("test", [("image", "image_t"), ("in", f"G_{coordinate}"), ("samples", "G_uint"),
                               ("out", f"G_{result}"), ("asked", "G_uint")], body)
        order, type_name = DEPTH_FORMATS[1] if is_depth(shape) else ("CL_RGBA", "CL_UNORM_INT8")
        planes = [Picture(shape, order, type_name, f"sample {i}") for i in range(4)]
        places, numbers, colors = [], [], []
        for number, plane in enumerate(planes):
            for at in plane.elements():
                used = at[:2] + ([at[2]] if arrayed else [0])
                color = sampling.unsampled(sampling.Image(plane.case), {"at": used, "as": "float"})[0]
                places.append(at)
                numbers.append(number)
                colors.append(color[:1] if is_depth(shape) else color)
        job = Launches()
        job.add(len(places), ("image", {**planes[0].job(data=b"".join(p.data for p in planes)), "samples": 4}, None),
                ("in", coordinate, flat(places)), ("in", "uint", numbers), ("out", result, flat(colors)),
                ("out", "uint", [4]))
        job.write(f"images/samples_{shape}", module)


def write_all():
    for shape in SHAPES:
        types = ["float"] if is_depth(shape) else ["float", "half", "int", "uint"]
        if shape not in ("2d", "2d_depth"):
            types = [t for t in types if t in ("float", "uint")]
        for as_type in types:
            unsampled(shape, as_type, False)
            writes(shape, as_type)
            if shape != "1d_buffer":
                sampled(shape, as_type, False)
                sampled(shape, as_type, True)
    for as_type in ("int", "uint"):
        unsampled("2d", as_type, True)
    for shape in ("2d", "3d", "1d_buffer"):
        writes(shape, "float", "ReadWrite")
    literals()
    passed()
    queries()
    levels()
    samples()
