"""Addressing, filters and their enclosure (8.1, 8.2, 8.4), in fractions.  See text.py."""

from fractions import Fraction
from itertools import product
from math import floor

import text

NONE, CLAMP_TO_EDGE, CLAMP, REPEAT, MIRRORED = range(5)
INT_MIN, INT_MAX = -(1 << 31), (1 << 31) - 1
HALF = Fraction(1, 2)


class Image:
    def __init__(self, case):
        self.order, self.type = case["order"], case["type"]
        self.dimensions, self.arrayed = case["dimensions"], case["arrayed"]
        self.size, self.layers = case["size"], case["layers"]
        self.row_pitch, self.slice_pitch = case["row_pitch"], case["slice_pitch"]
        self.data = bytes.fromhex(case["data"])
        self.bytes = text.layout(self.order, self.type)[0]

    def inside(self, at, layer):
        return all(0 <= i < self.size[d] for d, i in enumerate(at)) and 0 <= layer < self.layers

    def element(self, at, layer):
        at = list(at) + [0] * (3 - len(at))
        start = at[0] * self.bytes + at[1] * self.row_pitch + (at[2] + layer) * self.slice_pitch
        return self.data[start:start + self.bytes]


def rint(x):
    return text.nearest_even(x)


def clamp(a, b, c):
    return b if a < b else c if a > c else a


def address(mode, i, size):
    return {CLAMP: lambda: clamp(i, -1, size), CLAMP_TO_EDGE: lambda: clamp(i, 0, size - 1), NONE: lambda: i}[mode]()


def bounded(i):
    return clamp(i, -(1 << 40), 1 << 40)  # (int) of what is beyond is not defined; the program goes on with this


def pair(mode, size, lower):
    """i0, i1 of a linear filter from u - 0.5."""
    i0 = bounded(floor(lower))
    i1 = i0 + 1
    if mode == REPEAT:
        return (size + i0 if i0 < 0 else i0), (i1 - size if i1 > size - 1 else i1)
    if mode == MIRRORED:
        return max(i0, 0), min(i1, size - 1)
    return address(mode, i0, size), address(mode, i1, size)


def single(mode, size, u):
    i = bounded(floor(u))
    if mode == REPEAT:
        return i - size if i > size - 1 else i
    if mode == MIRRORED:
        return min(i, size - 1)
    return address(mode, i, size)


def unnormalized(mode, normalized, size, s):
    if mode == REPEAT:
        return (s - floor(s)) * size
    if mode == MIRRORED:
        return abs(s - 2 * rint(HALF * s)) * size
    return s * size if normalized else s


def to_float(x):
    value = text.decode_float("float", text.round_to("float", x, "rte"))
    if value == "-0":
        return Fraction(0)
    return x if isinstance(value, str) else value  # beyond the largest float it goes on as it is


def unnormalized_in_float(mode, size, s):
    """With normalized coordinates, but for a linear filter without addressing: each step rounded to float."""
    if mode == REPEAT:
        s = to_float(s - floor(s))
    elif mode == MIRRORED:
        s = abs(s - 2 * rint(HALF * s))
    return to_float(s * size)


def is_exact(mode, linear, normalized):
    return not normalized and not linear and mode in (NONE, CLAMP, CLAMP_TO_EDGE)


def coordinate_values(case):
    values = []
    for bits in case["at"]:
        value = Fraction(text.signed(bits, 32)) if case["integers"] else text.decode_float("float", bits)
        values.append(Fraction(0) if value == "-0" else value)
    return values


def select(image, case):
    """(undefined, [(at, layer, inside, weight)])"""
    mode, linear, normalized = case["address"], case["linear"], case["normalized"]
    if mode in (REPEAT, MIRRORED) and not normalized:
        return "repeat-unnormalized", []
    if case["integers"] and not is_exact(mode, linear, normalized):
        return "integer-coordinate", []
    values = coordinate_values(case)
    if any(isinstance(v, str) for v in values[:image.dimensions + image.arrayed]):
        return "coordinate-not-finite", []
    axes, beyond = [], False
    for d in range(image.dimensions):
        u = unnormalized(mode, normalized, image.size[d], values[d])
        lower = u - HALF if linear else u
        beyond |= not INT_MIN <= floor(lower) <= (INT_MAX - 1 if linear else INT_MAX)
        rounds = normalized and not (linear and mode == NONE)
        if rounds:
            u = unnormalized_in_float(mode, image.size[d], values[d])
        if linear:
            lower = to_float(u - HALF) if rounds else u - HALF
            i0, i1 = pair(mode, image.size[d], lower)
            a = to_float(lower - floor(lower)) if rounds else lower - floor(lower)
            axes.append([(i0, 1 - a), (i1, a)])
        else:
            axes.append([(single(mode, image.size[d], u), Fraction(1))])
    layer = clamp(rint(values[image.dimensions]), 0, image.layers - 1) if image.arrayed else 0
    taps = []
    for chosen in product(*reversed(axes)):
        chosen = chosen[::-1]
        at = tuple(i for i, _ in chosen)
        weight = Fraction(1)
        for _, w in chosen:
            weight *= w
        taps.append((at, layer, image.inside(at, layer), weight))
    if beyond:
        return "coordinate-beyond-int", taps
    if mode == NONE and not all(tap[2] for tap in taps):
        return "outside", taps
    return "defined", taps


# ---- The exact result -------------------------------------------------------------------------------


def component_value(image, at, layer, inside, component):
    """(value, stored pattern)"""
    if not inside:
        return Fraction(int(component == 3 and image.order in text.BORDER_ONE)), 0
    channel = text.channel_of(image.order, component)
    if channel in (0, 1):
        return Fraction(channel), 0
    bits, width = text.element_fields(image.order, image.type, image.element(at, layer))[channel]
    return text.field_value(image.order, image.type, channel, bits, width), bits


def total_of(parts, component):
    """The weighted sum of [(image, tap, weight)]; None where INF or NaN takes part."""
    values = [component_value(image, *tap[:3], component)[0] for image, tap, _ in parts]
    if any(value in ("inf", "-inf", "nan") for value in values if isinstance(value, str)):
        return None
    if all(value == "-0" for value in values):
        return "-0"
    return sum((weight * (0 if value == "-0" else value) for (_, _, weight), value in zip(parts, values)), Fraction(0))


ZEROS = {mode: [0] * 4 for mode in text.MODES}


def blend(parts, kind, as_type, reason):
    totals = [total_of(parts, component) for component in range(4)]
    if None in totals:
        return ZEROS, reason if reason != "defined" else "linear-of-infinity-or-nan"
    return {mode: [text.result_bits(t, 0, kind, as_type, mode) for t in totals] for mode in text.MODES}, reason


def read(image, case):
    """({mode: color}, undefined)"""
    undefined, taps = select(image, case)
    check = text.check_read(image.type, case["as"])
    kind = text.TYPES[image.type][1]
    linear_integers = case["linear"] and kind in ("int", "uint")
    reason = check if check != "defined" else "linear-of-integers" if linear_integers else undefined
    if not taps or check == "wrong-result-type" or linear_integers:
        return ZEROS, reason
    if case["linear"]:
        return blend([(image, tap, tap[3]) for tap in taps], kind, case["as"], reason)
    values = [component_value(image, *taps[0][:3], component) for component in range(4)]
    return {mode: [text.result_bits(*v, kind, case["as"], mode) for v in values] for mode in text.MODES}, reason


def read_mip(case):
    """The same of an image with levels: "the nearest mipmap level" or "a weighted average of the two ... nearest"."""
    images = [Image(level) for level in case["levels"]]
    lod, least, most = (text.decode_float("float", case[name]) for name in ("lod", "lod_min", "lod_max"))
    if lod == "nan":
        return ZEROS, "level-of-detail-not-finite"
    lod = {"-0": Fraction(0), "inf": Fraction(10 ** 50), "-inf": Fraction(-10 ** 50)}.get(lod, lod) \
        if isinstance(lod, str) else lod
    lod = max(least, min(lod, most))
    lod = max(Fraction(0), min(lod, Fraction(len(images) - 1)))
    if not case["between"]:
        nearest = floor(lod) if lod - floor(lod) <= HALF else floor(lod) + 1
        return read(images[nearest], case)
    first, part = floor(lod), lod - floor(lod)
    if part == 0:
        return read(images[first], case)
    pair_ = ((images[first], 1 - part), (images[first + 1], part))
    kind = text.TYPES[images[0].type][1]
    reasons = [text.check_read(images[0].type, case["as"])] + ["linear-of-integers"] * (kind in ("int", "uint"))
    selected = [(image, *select(image, case), share) for image, share in pair_]
    reasons += [s[1] for s in selected]
    reason = next((r for r in reasons if r != "defined"), "defined")
    if kind in ("int", "uint") or case["as"] in ("int", "uint") or not all(s[2] for s in selected):
        return ZEROS, reason
    return blend([(image, tap, tap[3] * share) for image, _, taps, share in selected for tap in taps],
                 kind, case["as"], reason)


# ---- The enclosure: each step exact, rounded down or rounded up to float, subnormals perhaps 0 --------


def outcomes(values):
    found = set()
    for value in values:
        found.add(value)
        for mode in ("rtn", "rtp"):
            neighbour = text.decode_float("float", text.round_to("float", value, mode))
            if neighbour == "-0":
                neighbour = Fraction(0)
            if not isinstance(neighbour, str):
                found.add(neighbour)
        if abs(value) < Fraction(2) ** -126:
            found.add(Fraction(0))
    return found


def axis_choices(mode, linear, normalized, size, s):
    """{(i0, i1): (least a, greatest a, least weight that is not 0)}"""
    values = outcomes([s])
    if mode == REPEAT:
        values = outcomes({x - floor(x) for x in values})
    elif mode == MIRRORED:
        values = outcomes({abs(x - 2 * rint(HALF * x)) for x in values})
    if normalized:
        values = {y for w in outcomes([Fraction(size)]) for y in outcomes({x * w for x in values})}
    if not linear:
        return {(single(mode, size, u),) * 2: (Fraction(0), Fraction(0), Fraction(1)) for u in values}
    seen = {}
    for lower in outcomes({u - HALF for u in values}):
        seen.setdefault(pair(mode, size, lower), set()).update(outcomes([lower - floor(lower)]))
    return {key: (min(a), max(a), min([w for x in a for w in (x, 1 - x) if w] + [Fraction(1)]))
            for key, a in seen.items()}


def set_bounds(s, name):
    """Least and greatest member, None where one is INF or NaN or anything goes."""
    if s == text.ANYTHING or s[1]:
        return None
    infinite = text.index(name, text.result_bits("inf", 0, "", name, "rte"))
    ends = ([s[4], s[5]] if s[4] is not None else []) + ([0] if s[2] or s[3] else [])
    if min(ends) <= -infinite or max(ends) >= infinite:
        return None
    return tuple((-1 if e < 0 else 1) * text.number(name, abs(e)) for e in (min(ends), max(ends)))


def sum_set(bounds, axes, smallest_weight, name):
    """The set of a weighted sum: corners of the box of weights, and the roundings of a sum in any order."""
    dimensions = len(axes)
    lows, highs, sizes = [], [], []
    for corner in product(*[(a[0], a[1]) for a in axes]):
        low = high = size = Fraction(0)
        for t, (least, greatest) in enumerate(bounds):
            weight = Fraction(1)
            for d in range(dimensions):
                weight *= corner[d] if t >> d & 1 else 1 - corner[d]
            low += weight * least
            high += weight * greatest
            size += weight * max(abs(least), abs(greatest))
        lows.append(low)
        highs.append(high)
        sizes.append(size)
    roundings = 2 * dimensions + 2 ** dimensions - 1
    error = ((1 + Fraction(1, 1 << 23)) ** roundings - 1) * max(sizes)
    smallest = min([abs(e) for pair_ in bounds for e in pair_ if e], default=None)
    if smallest is not None and smallest * smallest_weight < Fraction(2) ** -124:
        error += 32 * Fraction(2) ** -126
    low, high = min(lows) - error, max(highs) + error
    limit = (2 - Fraction(1, 1 << text.FLOATS[name][0])) * Fraction(2) ** text.FLOATS[name][1]
    outward = name != "float"
    low_bits = text.round_to(name, low, "rtn" if outward or low < -limit else "rtp")
    high_bits = text.round_to(name, high, "rtp" if outward or high > limit else "rtn")
    first, last = text.index(name, low_bits), text.index(name, high_bits)
    minus_zero = 1 << (text.FLOATS[name][2] - 1)
    zero = low <= 0 <= high or first < 0 < last
    positive = zero or 0 in (low_bits, high_bits)
    negative = zero or minus_zero in (low_bits, high_bits)
    first = 1 if first == 0 else first
    last = (-1 if first < 0 else 0) if last == 0 else last
    s = (False, False, positive, negative, *((first, last) if first <= last else (None, None)))
    return text.flush(name, s)


def allowed(image, case):
    """(undefined, precise, [four sets])"""
    as_type, mode, linear = case["as"], case["address"], case["linear"]
    anything = [text.ANYTHING] * 4
    check = text.check_read(image.type, as_type)
    undefined, taps = select(image, case)
    if check == "defined" and linear and text.TYPES[image.type][1] in ("int", "uint"):
        check = "linear-of-integers"
    reason = check if check != "defined" else undefined
    if reason != "defined":
        return reason, True, [anything]

    def tap_sets(at, layer):
        if image.inside(at, layer):
            return text.read_sets(image.order, image.type, image.element(at, layer), as_type, True)
        return anything if mode == NONE else text.border_sets(image.order, as_type)

    layer = taps[0][1]
    if is_exact(mode, linear, case["normalized"]):
        return "defined", True, [tap_sets(taps[0][0], layer)]
    values = coordinate_values(case)
    axes = [axis_choices(mode, linear, case["normalized"], image.size[d], values[d]) for d in range(image.dimensions)]
    choices = []
    for chosen in product(*[sorted(axis.items()) for axis in axes]):
        pairs, weights = [c[0] for c in chosen], [c[1] for c in chosen]
        if not linear:
            choices.append(tap_sets(tuple(p[0] for p in pairs), layer))
            continue
        corners = [tap_sets(tuple(p[t >> d & 1] for d, p in enumerate(pairs)), layer)
                   for t in range(1 << image.dimensions)]
        smallest = Fraction(1)
        for w in weights:
            smallest *= w[2]
        sets = []
        for component in range(4):
            bounds = [set_bounds(corner[component], as_type) for corner in corners]
            if None in bounds:
                sets = anything
                break
            sets.append(sum_set(bounds, weights, smallest, as_type))
        choices.append(sets)
    return read(image, case)[1], False, choices


def unsampled(image, case):
    """(color, undefined, sets)"""
    at, layer = case["at"][:image.dimensions], case["at"][image.dimensions] if image.arrayed else 0
    check = text.check_read(image.type, case["as"])
    outside = not all(0 <= i < image.size[d] for d, i in enumerate(at))
    place = "layer-outside" if not 0 <= layer < image.layers else "outside" if outside else "defined"
    reason = check if check != "defined" else place
    anything = [text.ANYTHING] * 4
    if check == "wrong-result-type" or place != "defined":
        return [0] * 4, reason, anything
    element = image.element(at, layer)
    color = text.read_color(image.order, image.type, element, case["as"], "rte")
    if reason != "defined":
        return color, reason, anything
    return color, reason, text.read_sets(image.order, image.type, element, case["as"], False)
