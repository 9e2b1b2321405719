#!/usr/bin/env python3
"""Writes the PNG files of testsuites/images/png by zlib and struct alone, as ISO/IEC 15948 describes them.

    testsuites/images/make_png.py          # compare the files with what this writes
    testsuites/images/make_png.py --write  # write them

Sample c of column x and row y is (x * 50 + y * 20 + c * 7 + 3) * 257 in 16 bits, its low byte where a sample has 8 bits,
and its low bits where it has fewer.  Those of a palette are indices of colors.
"""
import pathlib
import struct
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent / "png"
WIDTH, HEIGHT = 5, 3
GRAY, RGB, PALETTE, GRAY_ALPHA, RGB_ALPHA = 0, 2, 3, 4, 6
CHANNELS = {GRAY: 1, RGB: 3, PALETTE: 1, GRAY_ALPHA: 2, RGB_ALPHA: 4}
SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLORS = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (10, 20, 30)]
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def sample(x, y, c, bits):
    return ((x * 50 + y * 20 + c * 7 + 3) * 257 & 0xFFFF) % (1 << bits)


def row(y, columns, color, bits):
    values = [sample(x, y, c, bits) for x in columns for c in range(CHANNELS[color])]
    if bits == 16:
        return struct.pack(f">{len(values)}H", *values)
    packed, held, count = bytearray(), 0, 0
    for value in values:
        held, count = held << bits | value, count + bits
        if count == 8:
            packed.append(held)
            held, count = 0, 0
    if count:
        packed.append(held << (8 - count))
    return bytes(packed)


def png(color, bits, interlaced=False, palette=b"", transparent=b"", size=(WIDTH, HEIGHT)):
    passes = ADAM7 if interlaced else [(0, 0, 1, 1)]
    data = b""
    for left, top, right, down in passes:
        columns = range(left, WIDTH, right)
        if columns:
            data += b"".join(b"\0" + row(y, columns, color, bits) for y in range(top, HEIGHT, down))
    head = struct.pack(">IIBBBBB", *size, bits, color, 0, 0, int(interlaced))
    optional = (chunk(b"PLTE", palette) if palette else b"") + (chunk(b"tRNS", transparent) if transparent else b"")
    return SIGNATURE + chunk(b"IHDR", head) + optional + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


def files():
    colors = b"".join(bytes(c) for c in COLORS)
    good = {
        "gray_1.png": png(GRAY, 1),
        "gray_8.png": png(GRAY, 8),
        "gray_16.png": png(GRAY, 16),
        "gray_alpha_8.png": png(GRAY_ALPHA, 8),
        "rgb_8.png": png(RGB, 8),
        "rgb_16.png": png(RGB, 16),
        "rgba_8.png": png(RGB_ALPHA, 8),
        "rgba_16.png": png(RGB_ALPHA, 16),
        "rgba_8_interlaced.png": png(RGB_ALPHA, 8, interlaced=True),
        "palette_2.png": png(PALETTE, 2, palette=colors),
        "palette_2_alpha.png": png(PALETTE, 2, palette=colors, transparent=bytes([255, 128, 0])),
    }
    damaged = bytearray(good["rgba_8.png"])
    damaged[60] ^= 1
    good["damaged.png"] = bytes(damaged)
    good["cut_off.png"] = good["rgba_16.png"][:70]
    good["too_large.png"] = png(RGB_ALPHA, 16, size=(2000000000, 2000000000))
    return good


def main():
    good = True
    for name, content in files().items():
        path = HERE / name
        if "--write" in sys.argv[1:]:
            path.write_bytes(content)
        elif path.read_bytes() != content:
            print(f"{path}: is something else")
            good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
