"""The same for kernels with images."""
import fractions
import math

from contents import rows, single
from references import reference


def clamped(image, width, height, channels=1):
    """`get(x, y)` of an image with CLK_ADDRESS_CLAMP_TO_EDGE: a pixel's channels, or its one number."""

    def get(x, y):
        i = min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)
        return image[i] if channels == 1 else image[i * channels : i * channels + channels]

    return get


def places(width, height):
    return [(x, y) for y in range(height) for x in range(width)]


@reference
def image_filter_chain(b, scalars):
    (limit,), width, height = scalars, 27, 19
    picture = clamped(b["picture"], width, height, 4)
    blurred = []
    for x, y in places(width, height):
        for c in range(4):
            near = {(dx, dy): picture(x + dx, y + dy)[c] for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
            blurred.append((8 + sum((2 - abs(dx)) * (2 - abs(dy)) * v for (dx, dy), v in near.items())) // 16)
    colors = rows(blurred, 4)
    bright = clamped([(77 * r + 150 * g + 29 * b) // 256 for r, g, b, _ in colors], width, height)
    gradient = []
    for x, y in places(width, height):
        across = sum(w * (bright(x + 1, y + d) - bright(x - 1, y + d)) for d, w in ((-1, 1), (0, 2), (1, 1)))
        along = sum(w * (bright(x + d, y + 1) - bright(x + d, y - 1)) for d, w in ((-1, 1), (0, 2), (1, 1)))
        gradient.append(abs(across) + abs(along))
    mask = [255 if g > limit else 0 for g in gradient]
    assert 0 < mask.count(255) < len(mask)
    return {"blurred": blurred, "gradient": gradient, "mask": mask,
            "counts": [row.count(255) for row in rows(mask, width)]}


@reference
def linear_convolution(b, scalars):
    width, height = 32, 16
    picture = [float(v) for v in b["bytes"]]
    taps = [(-2, 1), (-1, 3), (0, 8), (1, 3), (2, 1)]
    near = clamped(picture, width, height)
    flat = [sum(w * near(x + d, y) for d, w in taps) / 16 for x, y in places(width, height)]
    near = clamped(flat, width, height)
    smooth = [sum(w * near(x, y + d) for d, w in taps) / 16 for x, y in places(width, height)]
    near = clamped(smooth, width, height)
    half = [sum(near(2 * x + i, 2 * y + j) for i in (0, 1) for j in (0, 1)) / 4
            for x, y in places(width // 2, height // 2)]
    sums = [sum(row) for row in rows(half, width // 2)]
    # Nothing was rounded, so neither does a device.
    assert all(single(v) == v for v in flat + smooth + half + sums)
    return {"picture": picture, "rows": flat, "smooth": smooth, "half": half, "sums": sums}


def mixed(get, place, last):
    """Between two elements of a row, both kept inside."""
    low = math.floor(place)
    weight = place - low
    return [(1 - weight) * p + weight * q
            for p, q in zip(get(min(max(low, 0), last)), get(min(max(low + 1, 0), last)))]


@reference
def volume_renderer(b, scalars):
    width, height, depth = 10, 7, 6
    volume, table = b["volume"], rows(b["table"], 4)
    picture, taken = [], []
    for x, y in places(width, height):
        sums, steps = [0.0] * 4, 0
        while steps < 2 * depth - 1 and sums[3] < single(0.9):
            (density,) = mixed(lambda z: [volume[(z * height + y) * width + x]], steps / 2, depth - 1)
            color = mixed(lambda i: table[i], density * len(table) - 0.5, len(table) - 1)
            assert all(single(v) == v for v in color)
            light = single(single(1 - sums[3]) * color[3])
            sums = [single(s + single(light * c)) for s, c in zip(sums[:3], color)] + [single(sums[3] + light)]
            steps += 1
        picture += sums
        taken.append(steps)
    assert len(set(taken)) > 3
    group = 8  # columns that are exposed alike
    pixels = rows(picture, 4)
    shown = []
    for x, y in places(width, height):
        first = x - x % group
        brightest = max(max(pixels[v * width + u][:3]) for v in range(height)
                        for u in range(first, min(first + group, width)))
        scale = 1 if brightest > 0.5 else 2
        color = [scale * c for c in pixels[y * width + x][:3]] + [pixels[y * width + x][3]]
        codes = [fractions.Fraction(min(max(c, 0.0), 1.0)) * 255 for c in color]
        # Far from where the code changes: devices may round otherwise there.
        assert all(abs(c % 1 - fractions.Fraction(1, 2)) > fractions.Fraction(1, 1000) for c in codes)
        shown += [round(c) for c in codes]
    return {"picture": picture, "steps_taken": taken, "shown": shown}


@reference
def canny_edges(b, scalars):
    weak, strong = scalars
    width, height = 40, 28
    taps = [[2, 4, 5, 4, 2], [4, 9, 12, 9, 4], [5, 12, 15, 12, 5], [4, 9, 12, 9, 4], [2, 4, 5, 4, 2]]
    near = clamped(b["scene"], width, height)
    smooth = [(79 + sum(taps[j][i] * near(x + i - 2, y + j - 2) for i in range(5) for j in range(5))) // 159
              for x, y in places(width, height)]
    near = clamped(smooth, width, height)
    slope = {}
    for x, y in places(width, height):
        across = sum(w * (near(x + 1, y + d) - near(x - 1, y + d)) for d, w in ((-1, 1), (0, 2), (1, 1)))
        along = sum(w * (near(x + d, y + 1) - near(x + d, y - 1)) for d, w in ((-1, 1), (0, 2), (1, 1)))
        if 5 * abs(along) <= 2 * abs(across) and not 5 * abs(across) < 2 * abs(along):
            sector = 0
        elif 5 * abs(across) < 2 * abs(along):
            sector = 2
        else:
            sector = 1 if across * along > 0 else 3
        slope[x, y] = (across, along, abs(across) + abs(along), sector)
    ways = [(1, 0), (1, 1), (0, 1), (-1, 1)]
    classes = {}
    for (x, y), (_, _, length, sector) in slope.items():
        i, j = ways[sector]
        sides = [slope.get((x + k * i, y + k * j), (0, 0, 0, 0))[2] for k in (-1, 1)]
        kept = length >= sides[0] and length > sides[1] and length > weak
        classes[x, y] = (2 if length > strong else 1) if kept else 0
    thin = list(classes.values())
    assert 1 in thin and 2 in thin
    # Everything weak that a chain of weak ones joins to a strong one.
    edges = {p for p, c in classes.items() if c == 2}
    front, rounds, grown = list(edges), 0, 0
    while front:
        beside = {(x + i, y + j) for x, y in front for i in (-1, 0, 1) for j in (-1, 0, 1)}
        front = [p for p in beside if classes.get(p) == 1 and p not in edges]
        edges.update(front)
        grown += len(front)
        rounds += bool(front)
    assert 1 < rounds <= 12, rounds  # the job has twelve launches for it
    return {"smooth": smooth, "gradient": [c for p in places(width, height) for c in slope[p]], "thin": thin,
            "edges": [255 if p in edges else 0 for p in places(width, height)],
            "grown": [grown], "length": [len(edges)]}
