"""Random kernels of integers whose results are determined: no undefined behavior, no order that is open.

    random_kernels.Kernel(17).source()

They are made so that a driver may be accused of every difference: arithmetic that cannot overflow (signed numbers are
added as unsigned ones), indices and divisors that fit, each element written by one work-item, barriers that all reach,
no two side effects in one expression, and of atomic operations one kind in a kernel, whose results nobody uses.
"""
import random
import struct

SCALARS = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64}
WIDTHS = (1, 1, 1, 2, 3, 4, 8, 16)
SHAPES = ((64, 16), (96, 8), (48, 3), (60, 12), (128, 32), (35, 7), (64, 64), (16, 1))
ATOMICS = ("atomic_add", "atomic_min", "atomic_max", "atomic_and", "atomic_or", "atomic_xor", "atomic_sub")


def name_of(base, width):
    return base if width == 1 else f"{base}{width}"


def unsigned(base):
    return base if base.startswith("u") else "u" + base


def signed(base):
    return base.lstrip("u")


class Kernel:
    def __init__(self, seed):
        self.random = random.Random(f"assay judge {seed}")
        self.name = f"k{seed}"
        self.total, self.local = self.random.choice(SHAPES)
        self.atomic = self.random.choice(ATOMICS)
        self.variables = {}  # (base, width): names
        self.lines, self.depth, self.names, self.loops = [], 1, 0, 0
        self.has_struct = self.random.random() < 0.3
        self.writes_struct = self.has_struct and self.random.random() < 0.5
        # Saturating conversions are not among what is determined for `assay judge`.
        self.saturates = self.random.random() < 0.08
        self.options = self.random.choice(("", "", "", "-cl-opt-disable", "-cl-std=CL1.2"))
        self.text = self.make()

    def pick(self, *choices):
        return self.random.choice(choices)

    def type(self):
        return self.random.choice(list(SCALARS)), self.random.choice(WIDTHS)

    def fresh(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    # --- expressions -----------------------------------------------------------------------------------------------

    def constant(self, base):
        bits = SCALARS[base]
        value = self.random.choice((0, 1, 2, 3, 7, 255, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1,
                                    self.random.getrandbits(bits)))
        return f"(({base})({value & ((1 << bits) - 1):#x}ul))"

    def leaf(self, base, width):
        known = self.variables.get((base, width), [])
        kind = self.random.randrange(8)
        if known and kind < 5:
            return self.random.choice(known)
        if kind == 5 and self.variables:
            # Of another type: converted, or its bits taken.
            other = self.random.choice(sorted(self.variables))
            variable = self.random.choice(self.variables[other])
            if other[1] == width:
                return f"convert_{name_of(base, width)}{self.pick('', '_sat') if self.saturates else ''}({variable})"
            if SCALARS[other[0]] * other[1] == SCALARS[base] * width and 3 not in (other[1], width):
                return f"as_{name_of(base, width)}({variable})"
        if width > 1:
            if kind == 6:
                return f"({name_of(base, width)})({self.leaf(base, 1)})"
            return f"({name_of(base, width)})({', '.join(self.leaf(base, 1) for _ in range(width))})"
        return self.pick(self.constant(base), f"({base})gid", f"({base})lid", f"({base})n",
                         f"({base})in[(gid * {self.random.randrange(1, 9)}u + {self.random.randrange(64)}u) & 63u]",
                         f"({base})narrow[(gid + {self.random.randrange(64)}u) & 63u]",
                         f"({base})table[(gid ^ {self.random.randrange(16)}u) & 15u]")

    def wrapping(self, base, width, a, b, operator):
        """a + b, modulo."""
        u, t = name_of(unsigned(base), width), name_of(base, width)
        if width > 1:
            return f"as_{t}(as_{u}({a}) {operator} as_{u}({b}))"
        wide = "ulong" if SCALARS[base] == 64 else "uint"  # small numbers become int, whose product may overflow
        return f"as_{t}(({u})(({wide}){a} {operator} ({wide}){b}))"

    def compared(self, base, width):
        a, b = self.leaf(base, width), self.leaf(base, width)
        return f"({a} {self.pick('<', '>', '<=', '>=', '==', '!=')} {b})"

    def condition(self):
        base, width = self.type()
        if width == 1:
            return self.compared(base, 1)
        return f"{self.pick('any', 'all')}{self.compared(base, width)}"

    def value(self, base, width, depth=0):
        if depth > 2 or self.random.random() < 0.2:
            return self.leaf(base, width)
        a, b = self.value(base, width, depth + 1), self.value(base, width, depth + 1)
        c = self.leaf(base, width)
        t, bits = name_of(base, width), SCALARS[base]
        is_unsigned = base.startswith("u")
        cast = f"({t})" if width == 1 else ""
        small = f"(({t})({b} & ({t})15) + ({t})1)"
        choices = [lambda: self.wrapping(base, width, a, b, self.pick("+", "-", "*")),
                   lambda: self.wrapping(base, width, a, b, self.pick("+", "-", "*")),
                   lambda: f"{cast}({a} {self.pick('^', '&', '|')} {b})", lambda: f"{cast}(~{a})",
                   lambda: f"{cast}({a} {self.pick('/', '%')} {cast}{small})",
                   lambda: f"{self.pick('min', 'max', 'add_sat', 'sub_sat', 'hadd', 'rhadd', 'mul_hi', 'rotate')}({a}, {b})",
                   lambda: f"{self.pick('clz', 'popcount')}({a})", lambda: f"mad_hi({a}, {b}, {c})",
                   lambda: f"mad_sat({a}, {b}, {c})", lambda: f"clamp({a}, min({b}, {c}), max({b}, {c}))",
                   lambda: f"bitselect({a}, {b}, {c})", lambda: self.shift(base, width, a, b),
                   lambda: self.chosen(base, width, a, b)]
        if is_unsigned:
            s = name_of(signed(base), width)
            choices += [lambda: f"abs(as_{s}({a}))", lambda: f"abs_diff({a}, {b})", lambda: f"abs_diff(as_{s}({a}), as_{s}({b}))"]
        if bits > 8:
            half = {16: "char", 32: "short", 64: "int"}[bits]
            high, low = (unsigned(half) if is_unsigned else half), unsigned(half)
            choices.append(lambda: f"upsample({self.leaf(high, width)}, {self.leaf(low, width)})")
        if width in (2, 4, 8, 16):
            mask = self.leaf(unsigned(base), width)
            choices += [lambda: f"shuffle({a}, {mask})", lambda: f"shuffle2({a}, {b}, {mask})"]
        if width == 1:
            choices.append(lambda: f"({t})({self.condition()} ? {a} : {b})")
        if width == 1 and base == "uint":
            choices += [lambda: f"mixed({a}, {b})", lambda: f"cells[{a} & 7u]"]
        if width in (2, 4):
            choices.append(lambda: f"({self.value(base, 2 * width, depth + 1)}).{self.pick('lo', 'hi', 'even', 'odd')}")
        return self.random.choice(choices)()

    def shift(self, base, width, a, b):
        t, u = name_of(base, width), name_of(unsigned(base), width)
        amount = f"({b} & ({t}){SCALARS[base] - 1})"
        if self.random.random() < 0.5:
            return f"({t})({a} >> {amount})" if width == 1 else f"({a} >> {amount})"
        if width > 1:
            return f"as_{t}(as_{u}({a}) << as_{u}({amount}))"
        wide = "ulong" if SCALARS[base] == 64 else "uint"
        return f"as_{t}(({u})(({wide}){a} << {amount}))"

    def chosen(self, base, width, a, b):
        if width == 1:
            return f"({base})({self.compared(base, 1)} ? {a} : {b})"
        return f"select({a}, {b}, {self.compared(base, width)})"

    # --- statements ------------------------------------------------------------------------------------------------

    def say(self, text):
        self.lines.append("  " * self.depth + text)

    def block(self, head, body):
        before = {key: list(names) for key, names in self.variables.items()}
        self.say(head + " {")
        self.depth += 1
        body()
        self.depth -= 1
        self.say("}")
        self.variables = before  # its own are gone

    def declare(self):
        base, width = self.type()
        value = self.value(base, width)
        name = self.fresh("v")
        self.say(f"{name_of(base, width)} {name} = {value};")
        self.variables.setdefault((base, width), []).append(name)

    def assign(self):
        if not self.variables:
            return self.declare()
        base, width = self.random.choice(sorted(self.variables))
        name = self.random.choice(self.variables[base, width])
        if width > 1 and self.random.random() < 0.3:
            at = self.random.randrange(width)
            return self.say(f"{name}.s{at:x} = {self.value(base, 1)};")
        return self.say(f"{name} = {self.value(base, width)};")

    def branch(self):
        self.block(f"if ({self.condition()})", lambda: self.statements(self.random.randrange(1, 3)))
        if self.random.random() < 0.5:
            self.block("else", lambda: self.statements(1))

    def loop(self):
        if self.loops > 1:
            return self.assign()
        self.loops += 1
        i = self.fresh("i")
        times = self.pick("3u", "(gid & 3u)", "(lid & 7u)", "((uint)u0 & 3u)", "5u")
        def body():
            self.statements(self.random.randrange(1, 3))
            if self.random.random() < 0.4:
                self.say(f"if ({self.condition()}) {self.pick('continue', 'break')};")
            self.say(f"u0 ^= {i} * 0x9e3779b9u;")
        self.block(f"for (uint {i} = 0, end{i} = {times}; {i} < end{i}; ++{i})", body)
        self.loops -= 1

    def switch(self):
        def body():
            for case in self.random.sample(range(6), 3):
                self.block(f"case {case}:", lambda: self.statements(1))
                if self.random.random() < 0.7:
                    self.say("break;")
            self.say("default: u0 += 3u;")
        self.block(f"switch ({self.value('uint', 1)} % 6u)", body)

    def array(self):
        if self.random.random() < 0.3:
            return self.say(f"u0 ^= poked(cells, {self.value('uint', 1)});")
        self.say(f"cells[{self.value('uint', 1)} & 7u] {self.pick('=', '+=', '^=')} {self.value('uint', 1)};")

    def wide(self):
        base = self.pick(*SCALARS)
        width = self.pick(2, 3, 4, 8)
        index = self.random.randrange(8 // width)
        if base == "ulong":
            self.say(f"vstore{width}({self.value('ulong', width)}, {index}, wide + 8u * gid);")
        else:
            self.say(f"u0 ^= vload{width}({index}, in + (gid & 31u)).s{self.random.randrange(width)};")

    def bytes(self):
        base = self.pick("uchar", "char")
        self.say(f"bytes[gid] = (uchar)({self.value(base, 1)});")

    def atomics(self):
        where = self.pick(f"&sums[{self.random.randrange(8)}]", "&sums[gid & 7u]", "&sums[u0 & 7u]")
        self.say(f"{self.atomic}({where}, {self.value('uint', 1)});")

    def exchange(self):
        k = self.random.randrange(1, 70)
        self.say("barrier(CLK_LOCAL_MEM_FENCE);")
        self.say(f"scratch[lid] = {self.value('uint', 1)};")
        self.say("barrier(CLK_LOCAL_MEM_FENCE);")
        self.say(f"u0 {self.pick('^=', '+=')} scratch[(lid + {k}u) % size];")

    def rounds(self):
        """A loop that the group makes together."""
        r = self.fresh("r")
        self.block(f"for (uint {r} = 0; {r} < {self.pick(2, 3, '(n & 3u)')}; ++{r})", lambda: (
            self.statements(1), self.exchange(), self.statements(1)))

    def struct_statement(self):
        field = self.pick("a", "b", "c")
        if self.writes_struct and self.random.random() < 0.5:
            self.say(f"pack.{field} += ({dict(a='uint', b='ushort', c='uchar')[field]})gid;")
        else:
            self.say(f"u0 += (uint)pack.{field};")

    def statements(self, count):
        kinds = [self.declare, self.declare, self.assign, self.assign, self.assign, self.branch, self.loop, self.switch,
                 self.array, self.wide, self.bytes, self.atomics]
        if self.has_struct:
            kinds += [self.struct_statement, self.struct_statement]
        for _ in range(count):
            kind = self.random.choice(kinds if self.depth < 4 else kinds[:5])
            kind()

    def make(self):
        self.variables[("uint", 1)] = ["u0"]
        for _ in range(self.random.randrange(2, 5)):
            self.declare()
        for _ in range(self.random.randrange(4, 9)):
            self.random.choice([lambda: self.statements(1), lambda: self.statements(2), self.exchange, self.rounds])()
        for (base, width), names in sorted(self.variables.items()):
            for name in names:
                part = name if width == 1 else f"{name}.s{self.random.randrange(width):x}"
                self.say(f"u0 = rotate(u0, 5u) ^ (uint){part};")
        self.say("out[gid] = u0;")
        body = "\n".join(self.lines)
        pack = ", Pack pack" if self.has_struct else ""
        return f"""typedef struct {{ uint a; ushort b; uchar c; uchar d; }} Pack;
constant uint table[16] = {{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3}};
uint mixed(uint from, uint by) {{
  if (by & 1u) {{
    from ^= by;
    return from * 2654435761u;
  }}
  return by + from;
}}
uint poked(uint* cells, uint by) {{
  for (uint i = 0; i < 8; ++i) {{
    if (cells[i] > by) return cells[i] ^= by;
  }}
  return cells[by & 7u]++;
}}

kernel void {self.name}(global uint* out, global const uint* in, global const uchar* narrow, global ulong* wide,
                        global uchar* bytes, volatile global uint* sums, local uint* scratch, uint n{pack}) {{
  const uint gid = (uint)get_global_id(0);
  const uint lid = (uint)get_local_id(0);
  const uint size = (uint)get_local_size(0);
  uint u0 = in[gid & 63u] ^ n;
  uint cells[8] = {{1u, 2u, n, gid, 5u, 6u, 7u, lid}};
{body}
}}
"""

    def source(self):
        return self.text

    def arguments(self):
        """(kind, bytes) of each: the bytes of a buffer or a value, how many of local memory."""
        content = random.Random(f"content of {self.name}")
        words = b"".join(struct.pack("<I", content.choice((0, 1, 2, 0xffffffff, 0x80000000, content.getrandbits(32))))
                         for _ in range(64))
        given = [("buffer", bytes(4 * self.total)), ("buffer", words), ("buffer", content.randbytes(64)),
                 ("buffer", content.randbytes(64 * self.total)), ("buffer", bytes(self.total)),
                 ("buffer", content.randbytes(32)), ("local", 4 * self.local),
                 ("value", struct.pack("<I", content.getrandbits(32)))]
        if self.has_struct:
            given.append(("value", content.randbytes(8)))
        return given
