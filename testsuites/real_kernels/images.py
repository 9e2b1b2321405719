"""Images of jobs, and their bytes: OpenCL API, "Image Format Descriptor"; nothing here is assay's."""
import struct
import zlib

from contents import flatten, random_component

# By channel data type: the code of struct, and the name of a component as contents.py has it.
TYPES = {"UNSIGNED_INT8": ("B", "uchar"), "UNSIGNED_INT16": ("H", "ushort"), "SIGNED_INT16": ("h", "short"),
         "FLOAT": ("f", "float"), "UNORM_INT8": ("B", "uchar")}
CHANNELS = {"R": 1, "RGBA": 4}


def elements(image):
    size = image["size"] if isinstance(image["size"], list) else [image["size"]]
    count = 1
    for side in size:
        count *= side
    return count


def gray_png(path):
    """Bytes of a gray PNG file whose rows have no filter."""
    data, at, rows, width = path.read_bytes(), 8, b"", 0
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        if name == b"IHDR":
            width = struct.unpack(">I", data[at + 8 : at + 12])[0]
        if name == b"IDAT":
            rows += data[at + 8 : at + 8 + length]
        at += 12 + length
    rows = zlib.decompress(rows)
    assert all(rows[i] == 0 for i in range(0, len(rows), width + 1))
    return [b for i in range(0, len(rows), width + 1) for b in rows[i + 1 : i + 1 + width]]


def write_gray_png(path, pixels, width):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    lines = b"".join(b"\0" + bytes(pixels[i : i + width]) for i in range(0, len(pixels), width))
    head = struct.pack(">IIBBBBB", width, len(pixels) // width, 8, 0, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines, 9))
                     + chunk(b"IEND", b""))


def image_contents(image, folder):
    """The components before the first launch; None where nothing was ever stored."""
    init = image["init"]
    if init == "uninitialized":
        return None
    if "png" in init:
        return gray_png(folder / init["png"])
    count = elements(image) * CHANNELS[image["order"]]
    if "data" in init:
        values = list(flatten(init["data"]))
        assert len(values) == count
        return values
    assert image["type"].startswith("UNSIGNED")
    return [random_component(init["random"], TYPES[image["type"]][1], i) for i in range(count)]


def image_bytes(image, values):
    """Of UNORM_INT8 the values are the codes."""
    assert len(values) == elements(image) * CHANNELS[image["order"]], (image, len(values))
    return struct.pack(f"<{len(values)}{TYPES[image['type']][0]}", *values)
