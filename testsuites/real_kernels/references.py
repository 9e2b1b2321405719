"""What each kernel is for, computed in Python: a function a kernel, by its name."""
import cmath
import collections
import fractions
import hashlib
import itertools
import math
import struct
import zlib

from contents import MASK32, rows, single

REFERENCES = {}


def reference(function):
    """`function(inputs, scalars)` gives expected components by buffer; `scalars` are those of all launches."""
    REFERENCES[function.__name__] = function
    return function


# ---- reductions and scans ------------------------------------------------------------------------


@reference
def reduce_interleaved(b, _):
    return {"partial": [sum(part) & MASK32 for part in rows(b["in"], 96)]}


@reference
def reduce_two_stage(b, _):
    return {"result": [sum(b["in"])]}


@reference
def reduce_last_block(b, _):
    return {"result": [2 * sum(b["in"])], "finished": [0]}


@reference
def scan_hillis_steele(b, _):
    return {"out": [x for part in rows(b["in"], 100) for x in itertools.accumulate(part)]}


def exclusive_scan(values):
    return [0] + list(itertools.accumulate(values))[:-1]


@reference
def scan_blelloch(b, _):
    return {"out": exclusive_scan(b["in"]), "sum": [sum(b["in"])]}


@reference
def scan_lookback(b, _):
    return {"out": list(itertools.accumulate(b["in"])), "tickets": [10], "state": [2] * 10}


# ---- locks, messages, lock-free structures -----------------------------------------------------------


@reference
def spin_lock(b, _):
    ranking = sorted(((v, i) for i, v in enumerate(b["values"])), reverse=True)
    return {"best": [x for entry in ranking[:8] for x in entry], "lock": [0]}


@reference
def spin_lock_local(b, _):
    found = [[x for x in part if abs(x) > 900] for part in rows(b["in"], 80)]
    assert all(0 < len(part) <= 32 for part in found)
    return {"count": [len(part) for part in found], "sum": [sum(part) for part in found],
            "range": [x for part in found for x in (min(part), max(part))]}


@reference
def message_flag(b, _):
    x, all_x = 1, []
    for a, c in zip(b["a"], b["b"]):
        x = (a * x + c) & MASK32
        all_x.append(x)
    return {"x": all_x, "flags": [1] * 5, "next": [5]}


@reference
def pipe_peaks(b, _):
    signal = b["signal"]
    rating, classes = [0] * len(signal), [0] * 8
    for i, (left, here, right) in enumerate(zip(signal, signal[1:], signal[2:]), 1):
        if here > 250 and left < here >= right:
            rating[i] = 2 * here + 1
            classes[min(here // 128, 7)] += 1
    return {"rating": rating, "classes": classes, "lost": [0]}


@reference
def message_fence(b, scalars):
    trace, score = [], []
    for pair in rows(b["serve"], 2):
        total, sums = 0, [0] * 4
        for stroke in range(2 * scalars[0]):
            total = (total * 3 + pair[stroke % 2]) & MASK32
            sums.append(total)
            if total % 7 == 0:
                total = (total + 1) & MASK32
        trace += sums[-4:]
        score += [2 * scalars[0], total]
    return {"trace": trace, "score": score}


@reference
def ticket_lock(b, _):
    return {"balance": [1000 + sum(b["amount"])], "used": [60], "lock": [60, 60], "times": [1] * 60}


# ---- sorting ---------------------------------------------------------------------------------------


@reference
def bitonic_local(b, _):
    records = [tuple(r) for r in rows(b["records"], 2)]
    return {"records": [x for part in rows(records, 128) for r in sorted(part) for x in r]}


@reference
def bitonic_global(b, _):
    return {"keys": sorted(b["keys"])}


@reference
def odd_even_merge_sort(b, _):
    return {"keys": sorted(b["keys"])}


# ---- data in tiles ---------------------------------------------------------------------------------


def exact(values):
    """Sums that no order changes: all are floats."""
    assert all(single(float(v)) == v for v in values)
    return [float(v) for v in values]


@reference
def gemm_double_buffer(b, scalars):
    m, n, depth = scalars
    a, c = rows(b["a"], depth), list(zip(*rows(b["b"], n)))
    return {"c": exact([sum(x * y for x, y in zip(a[i], c[j])) for i in range(m) for j in range(n)])}


@reference
def transpose(b, scalars):
    return {"out": [x for column in zip(*rows(b["in"], scalars[0])) for x in column]}


# ---- counting and searching --------------------------------------------------------------------------


@reference
def histogram(b, _):
    count = collections.Counter(p >> 2 for p in b["pixels"])
    return {"result": [count[i] for i in range(64)]}


@reference
def string_search(b, _):
    text, pattern = bytes(b["text"]), bytes(b["pattern"])
    places = [i for i in range(len(text)) if text.startswith(pattern, i)]
    bits = [0] * 16
    for i in places:
        bits[i // 32] |= 1 << i % 32
    assert len(places) > 5
    return {"naive_map": bits, "map": bits, "naive_count": [len(places)], "count": [len(places)]}


# ---- hashes -------------------------------------------------------------------------------------------


@reference
def sha256(b, scalars):
    count, target = scalars
    digests = []
    for start, end in zip(b["starts"], b["starts"][1:]):
        digests.append(struct.unpack(">8I", hashlib.sha256(bytes(b["text"][start:end])).digest()))
    assert len(digests) == count
    return {"digests": [x for d in digests for x in d], "below_target": [sum(d[0] < target for d in digests)]}


@reference
def crc32(b, _):
    data = bytes(b["data"])
    crcs = [zlib.crc32(data[offset : offset + length]) for offset, length in rows(b["records"], 2)]
    return {"crcs": crcs, "bad": [sum(x != y for x, y in zip(crcs, b["expected"]))]}


# ---- transforms ----------------------------------------------------------------------------------------


def butterfly(a, b, w):
    """a + w b and a - w b as pairs of floats, each operation rounded."""
    re = single(single(w[0] * b[0]) - single(w[1] * b[1]))
    im = single(single(w[0] * b[1]) + single(w[1] * b[0]))
    return ((single(a[0] + re), single(a[1] + im)), (single(a[0] - re), single(a[1] - im)))


def fft(points, roots):
    """Decimation in time by recursion: the same operations as any radix-2 FFT of this direction."""
    n = len(points)
    if n == 1:
        return points
    even, odd = fft(points[0::2], roots), fft(points[1::2], roots)
    pairs = [butterfly(e, o, roots[k * 2 * len(roots) // n]) for k, (e, o) in enumerate(zip(even, odd))]
    return [p[0] for p in pairs] + [p[1] for p in pairs]


def checked_fft(points, roots):
    result = fft(points, roots)
    n = len(points)
    for k, (re, im) in enumerate(result):
        plain = sum(complex(*p) * cmath.exp(-2j * math.pi * k * i / n) for i, p in enumerate(points))
        assert abs(plain - complex(re, im)) < 1e-5
    return result


@reference
def fft_local(b, _):
    roots = [tuple(map(single, map(float, r))) for r in rows(b["roots"], 2)]
    points = [tuple(p) for p in rows(b["in"], 2)]
    return {"out": [x for part in rows(points, 64) for p in checked_fft(part, roots) for x in p]}


@reference
def fft_stockham(b, _):
    roots = [(single(float(c)), single(float(s))) for c, s in zip(b["cosine"], b["sine"])]
    result = checked_fft(list(zip(b["re"], b["im"])), roots)
    return {"re": [p[0] for p in result], "im": [p[1] for p in result]}


# ---- grids and images ------------------------------------------------------------------------------------


@reference
def stencil2d(b, scalars):
    width, height, limit = scalars[:3]
    plate, lively, states = rows(b["plate"], width), 0, []
    for _ in range(2):
        cell = lambda y, x: plate[min(max(y, 0), height - 1)][min(max(x, 0), width - 1)]
        change = [[0.125 * (cell(y - 1, x) + cell(y + 1, x) + cell(y, x - 1) + cell(y, x + 1) - 4 * cell(y, x))
                   for x in range(width)] for y in range(height)]
        lively += sum(abs(c) > limit for row in change for c in row)
        plate = [[p + c for p, c in zip(*both)] for both in zip(plate, change)]
        states.append(exact([x for row in plate for x in row]))
    assert 0 < lively < 2 * width * height
    return {"next": states[0], "plate": states[1], "lively": [lively]}


@reference
def stencil3d(b, scalars):
    (nx, ny, nz, _), center, side = scalars
    value, out = b["in"], list(b["out"])
    for z, y, x in itertools.product(range(1, nz - 1), range(1, ny - 1), range(1, nx - 1)):
        at = (z * ny + y) * nx + x
        sides = sum(value[at + d] for d in (-1, 1, -nx, nx, -nx * ny, nx * ny))
        out[at] = max(0.0, center * value[at] + side * sides)
    return {"out": exact(out)}


@reference
def gaussian_blur(b, scalars):
    width, (_, height), threshold = scalars
    weights = [1, 4, 6, 4, 1]

    def blur(get, limit, at):
        near = [get(min(max(at + k, 0), limit - 1)) for k in range(-2, 3)]
        return [(8 + sum(w * p[c] for w, p in zip(weights, near))) // 16 for c in range(4)]

    image = rows(rows(b["image"], 4), width)
    flat = [[blur(lambda i: image[y][i], width, x) for x in range(width)] for y in range(height)]
    out = [[blur(lambda i: flat[i][x], height, y) for x in range(width)] for y in range(height)]
    pixels = [p for row in out for p in row]
    return {"rows": [c for row in flat for p in row for c in p], "blurred": [c for p in pixels for c in p],
            "bright": [sum(sum(p[:3]) > threshold for p in pixels)]}


@reference
def median_filter(b, scalars):
    width, height = scalars
    image, out, changed = b["in"], list(b["out"]), 0
    for y, x in itertools.product(range(1, height - 1), range(1, width - 1)):
        window = [image[(y + dy) * width + x + dx] for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
        out[y * width + x] = sorted(window)[4]
        changed += sorted(window)[4] != window[4]
    return {"out": out, "changed": [changed]}


@reference
def mandelbrot(b, scalars):
    width, height, corner, step, limit = scalars
    corner, step, palette = [single(float(c)) for c in corner], single(step), rows(b["palette"], 4)
    image, inside = [], 0
    for y, x in itertools.product(range(height), range(width)):
        c = [single(corner[0] + single(x * step)), single(corner[1] + single(y * step))]
        z, i = (0.0, 0.0), 0
        while i < limit:
            square = [single(z[0] * z[0]), single(z[1] * z[1])]
            if single(square[0] + square[1]) > 4:
                break
            product = single(2 * z[0]) * z[1]
            z = (single(single(square[0] - square[1]) + c[0]), single(single(product) + c[1]))
            i += 1
        inside += i == limit
        image += palette[i % 16] if i < limit else [0, 0, 0, 255]
    return {"image": image, "inside": [inside]}


# ---- linear algebra, physics, clusters ---------------------------------------------------------------------


def sparse_product(b):
    starts, x = b["row_start"], b["x"]
    return [sum(b["value"][i] * x[b["column"][i]] for i in range(start, end))
            for start, end in zip(starts, starts[1:])]


@reference
def spmv_scalar(b, _):
    y = [1.5 * v for v in sparse_product(b)]  # the second launch adds half of what the first computed
    return {"y": exact(y), "largest": exact([max(map(abs, y[:32])), max(map(abs, y[32:]))])}


@reference
def spmv_vector(b, _):
    return {"y": exact(sparse_product(b))}


@reference
def jacobi(b, scalars):
    tolerance, limit = scalars
    n = len(b["b"])
    a, x, steps, moves = rows(b["a"], n), [0.0] * n, 0, True
    while moves and steps < limit:
        new = [b["b"][i] - sum(a[i][j] * x[j] for j in range(n) if j != i) for i in range(n)]
        moves = any(abs(p - q) > tolerance for p, q in zip(new, x))
        x, steps = exact(new), steps + 1
    assert all(sum(p * q for p, q in zip(a[i], x)) == b["b"][i] for i in range(n)) and 3 < steps < limit
    return {"x": x, "steps": [steps]}


def reciprocal_root(x):
    """1 / sqrt(x) to far more digits than a float has."""
    x = fractions.Fraction(x)
    return fractions.Fraction(1 << 200, math.isqrt(int(x * (1 << 400))))


@reference
def nbody(b, scalars):
    n, softening, dt = scalars
    bodies = rows(b["bodies"], 4)
    # The last tile is filled with bodies of no mass in the origin; their pull is a zero of some sign.
    others = bodies + [[0.0] * 4] * (-n % 20)
    moved, velocity = [], []
    for body in bodies:
        total = [0.0] * 3
        for other in others:
            d = [single(other[c] - body[c]) for c in range(3)]
            r2 = single(single(d[0] * d[0]) + single(d[1] * d[1]))
            r2 = single(single(r2 + single(d[2] * d[2])) + softening)
            inverse = single(reciprocal_root(r2))
            pull = single(single(single(other[3] * inverse) * inverse) * inverse)
            total = [single(t + single(x * pull)) for t, x in zip(total, d)]
        v = [single(0.0 + single(t * dt)) for t in total]
        p = [single(body[c] + single(v[c] * dt)) for c in range(3)]
        for c in range(2):
            if abs(p[c]) > 1:
                v[c] = -v[c]
        moved += p + [body[3]]
        velocity += v + [0.0]
    return {"moved": moved, "velocity": velocity}


@reference
def rigid_bodies(b, _):
    def cross(p, q):
        return [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]

    def multiply(p, q):  # quaternions as x, y, z, w
        vector = [p[3] * x + q[3] * y + z for x, y, z in zip(q, p, cross(p, q))]
        return vector + [p[3] * q[3] - sum(x * y for x, y in zip(p[:3], q))]

    positions, corners = rows(b["position"], 3), rows(b["corner"], 3)
    rotations = rows(b["rotation"], 4)
    reached, awake = [], 0
    for position, corner, q in zip(positions, corners, rotations):
        conjugate = [-x for x in q[:3]] + [q[3]]
        turned = multiply(multiply(q, corner + [0.0]), conjugate)[:3]
        reached += [x + y for x, y in zip(position, turned)]
        awake += turned != corner
    joined = [multiply(p, q) for p, q in zip(rotations, rotations[1:])] + [rotations[-1]]
    assert 0 < awake < len(rotations)
    return {"reached": exact(reached), "joined": exact([x for q in joined for x in q]), "awake": [awake]}


@reference
def kmeans(b, _):
    points, centres = rows(b["points"], 2), rows(b["centres"], 2)
    moved = 0
    for _ in range(2):
        distance = lambda p, c: (p[0] - c[0]) ** 2 + (p[1] - c[1]) ** 2
        label = [min(range(5), key=lambda k: distance(p, centres[k])) for p in points]
        for k in range(5):
            mine = [p for p, l in zip(points, label) if l == k]
            if mine:
                to = [int(fractions.Fraction(sum(p[c] for p in mine), len(mine))) for c in range(2)]
                moved += to != centres[k]
                centres[k] = to
    return {"label": label, "centres": [x for c in centres for x in c], "moved": [moved], "clusters": [0] * 15}


# ---- the rest ------------------------------------------------------------------------------------------------


@reference
def radix_sort(b, _):
    pairs = sorted(zip(b["keys"], b["values"]), key=lambda p: p[0])
    return {"keys": [p[0] for p in pairs], "values": [p[1] for p in pairs]}


@reference
def stream_compaction(b, _):
    alive = [p for p in rows(b["in"], 4) if p[2] > 0]
    out = [x for p in alive for x in p]
    return {"total": [len(alive)], "out": out + [0] * (len(b["in"]) - len(out))}


@reference
def group_functions(b, scalars):
    packed, header = [], []
    for part in rows(b["samples"], 48):
        mean = int(fractions.Fraction(sum(part), len(part)))
        kept = [x for x in part if x > mean]
        packed += kept + [0] * (len(part) - len(kept))
        header += [len(kept), mean, max(part), int(scalars[0] not in part)]
    return {"packed": packed, "header": header}


@reference
def async_tiles(b, _):
    x = b["in"]
    return {"out": [int(fractions.Fraction(sum(x[i : i + 4]), 4)) for i in range(384)]}


@reference
def lock_free_stack(b, _):
    return {"head": [(96 << 16) | 0xFFFF], "taken": [x for p in b["payload"] for x in (1, p)]}


@reference
def union_find(b, scalars):
    component = list(range(scalars[1]))
    changed = True
    while changed:
        changed = False
        for u, v in rows(b["edges"], 2):
            low = min(component[u], component[v])
            changed |= component[u] != component[v]
            component[u] = component[v] = low
    size = collections.Counter(component)
    return {"component": component, "size": [size[v] for v in range(scalars[1])]}


@reference
def bfs_frontier(b, scalars):
    starts, neighbour = b["row_start"], b["neighbour"]
    distance, queue = {0: 0}, [0]
    for v in queue:
        for w in neighbour[starts[v] : starts[v + 1]]:
            if w not in distance:
                distance[w] = distance[v] + 1
                queue.append(w)
    found = collections.Counter(distance.values())
    assert max(found) < len(scalars)
    return {"distance": [distance.get(v, MASK32) for v in range(60)],
            "lengths": [found[d] for d in range(len(scalars) + 1)]}
