"""Values and places of random kernels; generate.py says what they promise."""
import collections

BITS = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64}
FLOATS = ("half", "float", "double")

# Elements that can be named: `size` of them from `text` on.  With lanes they are vectors.
Array = collections.namedtuple("Array", "text type size lanes space", defaults=(1, "private"))


class Expressions:
    """What can be said with the names in scope.  A uint is the currency; bits() makes one of anything.

    random       the source of choices
    arrays       what may be read and written
    numbers      names of variables of type uint, `fixed` are those that nobody assigns to
    reals        (name, type) of variables of half, float and double
    loops        (name, bound) of counters of loops around: they are below the bound
    functions    (name, type of a pointer or None, elements behind it)
    """

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, of):
        return self.random.random() < of

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    # --- numbers ----------------------------------------------------------------------------------

    def literal(self):
        return f"{self.pick(0, 1, 2, 3, 5, 7, 31, 255, 65535, 0x7fffffff, 0x80000000, 0xffffffff, self.random.getrandbits(32), self.random.randrange(100))}u"

    def leaf(self):
        kind = self.random.random()
        if kind < 0.55:
            return self.random.choice(self.numbers)
        if kind < 0.7 and self.loops:
            return f"(uint){self.random.choice(self.loops)[0]}"
        return self.literal() if kind < 0.85 or self.in_function else self.pick("gid", "lid")

    def number(self, depth):
        """An expression of type uint."""
        if depth <= 0:
            return self.leaf()
        a, b, c = (self.number(depth - 1) for _ in range(3))
        makers = [lambda: self.load(depth)] * 5 + [
            lambda: f"({a} {self.pick('+', '-', '*', '&', '|', '^')} {b})",
            lambda: f"({a} {self.pick('+', '-', '*', '&', '|', '^')} {b})",
            lambda: f"({a} {self.pick('<<', '>>')} ({b} & 31u))",
            lambda: f"(uint)((int){a} >> ({b} & 31u))",
            lambda: f"(({self.condition(depth - 1)}) ? {a} : {b})",
            lambda: f"{self.pick('min', 'max', 'rotate', 'mul_hi', 'hadd', 'rhadd', 'add_sat', 'sub_sat', 'abs_diff')}({a}, {b})",
            lambda: f"{self.pick('popcount', 'clz')}({a})",
            lambda: f"({a} / (({b} & 255u) | 1u))",
            lambda: f"({a} % (({b} & 1023u) | 1u))",
            lambda: f"(uint)((int){a} / (int)(({b} & 255u) | 1u))",
            lambda: f"(uint)({self.wide(depth - 1)} >> {self.random.randrange(40)})",
            lambda: f"table{self.random.randrange(2)}[{a} & 15u]",
            lambda: f"mad24({a} & 0xffffu, {b} & 0xffu, {c})",
            lambda: f"(uint)({self.pick('char', 'short', 'uchar', 'ushort')}){a}",
            lambda: self.vector_component(a), lambda: self.call(depth), self.leaf]
        if self.has_reals:
            makers.append(lambda: self.bits("float", self.real("float", depth - 1)))
        return self.random.choice(makers)()

    def vector_component(self, a):
        lanes, of = self.pick(2, 4, 8, 16), self.pick("uint", "uchar", "ushort")
        others = ", ".join(str(self.random.randrange(9)) for _ in range(lanes))
        return f"(uint)(({of}{lanes})(({of}){a}) + ({of}{lanes})({others})).s{self.random.randrange(lanes):x}"

    def wide(self, depth):
        """Of type ulong."""
        a, b = self.number(depth), self.number(depth)
        return self.pick(f"((ulong){a} * (ulong){b})", f"(((ulong){a} << 32) | {b})", f"upsample({a}, {b})",
                         f"(ulong)(long)(int){a}")

    def condition(self, depth):
        a, b = self.number(depth), self.number(depth)
        compare = self.pick("<", "<=", ">", ">=", "==", "!=")
        kind = self.random.randrange(8)
        if kind == 0:
            return f"(int){a} {compare} (int){b}"
        if kind == 1:
            return f"{a} & {1 << self.random.randrange(6)}u"
        if kind == 2 and self.reals:
            return f"{self.real('float', depth - 1)} {compare} {self.real('float', depth - 1)}"
        if kind == 3:
            return f"{a} {compare} {b} {self.pick('&&', '||')} {self.number(depth - 1)} & 3u"
        if kind == 4 and not self.in_function:
            return f"(gid + {self.random.randrange(9)}u) % {self.random.randint(2, 9)}u {compare} {self.random.randrange(4)}u"
        if kind == 5:
            return f"(short){a} {compare} (short){b}"
        return f"{a} {compare} {b}"

    def real(self, of, depth):
        """Of the type `of`: correctly rounded operations, kept where none of them is NaN, infinite or subnormal."""
        if depth <= 0 or self.chance(0.15):
            named = [name for name, of_name in self.reals if of_name == of]
            if named and self.chance(0.7):
                return self.random.choice(named)
            return f"({of}){self.pick(0.0, 1.0, 0.5, -2.25, 3.0, 0.125, 100.0, self.random.randrange(-800, 800) / 16)}f"
        a, b, c = (self.real(of, depth - 1) for _ in range(3))
        elements = [array for array in self.arrays if array.type == of and array.lanes == 1]
        makers = [
            lambda: f"tame_{of}({a} {self.pick('+', '-', '*')} {b})",
            lambda: f"tame_{of}({a} {self.pick('+', '-', '*')} {b})",
            lambda: f"tame_{of}(fma({a}, {b}, {c}))",
            lambda: f"({of})({self.number(depth - 1)} & 0xffu)",
            lambda: f"{self.pick('fmin', 'fmax', 'copysign')}({a}, {b})",
            lambda: f"(({self.condition(depth - 1)}) ? {a} : {b})",
            lambda: f"{self.pick('fabs', 'floor', 'rint', 'trunc', '-')}({a})",
            lambda: f"({of})((int){self.number(depth - 1)} >> 24)"]
        others = [other for other in self.real_types if other != of]
        if others:
            other = self.random.choice(others)
            makers.append(lambda: f"tame_{of}(({of}){self.real(other, depth - 1)})")
        if elements:
            makers += [lambda: self.element(self.random.choice(elements), depth - 1)] * 3
        return self.random.choice(makers)()

    # --- between types ----------------------------------------------------------------------------

    def bits(self, of, text):
        """A uint made of a value of the type `of`."""
        if of in ("long", "ulong"):
            return self.pick(f"(uint)({text})", f"(uint)((ulong)({text}) >> 32)", f"(uint)((ulong)({text}) >> 17)")
        if of in BITS:
            return f"(uint)({text})"
        if of == "float":
            return f"as_uint({text})"
        return f"(uint)(as_ulong({text}) >> 32)" if of == "double" else f"(uint)as_ushort({text})"

    def value(self, of, depth):
        if of not in BITS:
            return self.real(of, depth)
        return f"({of})({self.wide(depth) if BITS[of] == 64 else self.number(depth)})"

    @staticmethod
    def of_number(of, text):
        return f"({of})({text})" if of in BITS else f"({of})(int)(({text}) & 0xffu)"

    # --- places -----------------------------------------------------------------------------------

    def index(self, size, depth=1):
        """Below `size`, and of many forms."""
        counters = [name for name, bound in self.loops if bound <= size]
        if counters and self.chance(0.45):
            return self.random.choice(counters)
        if size == 1 or self.chance(0.15):
            return str(self.random.randrange(size))
        a = self.number(depth - 1)
        if size & (size - 1) == 0 and self.chance(0.5):
            return self.pick("", "(int)", "(ulong)", "(uchar)") + f"({a} & {size - 1}u)"
        x = f"({a} % {size}u)"
        return self.pick(x, f"(int){x}", f"(long){x}", f"(short){x}", f"({size - 1}u - {x})", f"min({a}, {size - 1}u)",
                         f"({size - 1} - (int){x})")

    def element(self, array, depth=1):
        """One of the array, as something to read or to assign to."""
        size, text = array.size, array.text
        kind = self.random.randrange(8)
        if kind < 2 and size > 1:
            c = self.random.randint(1, size - 1)
            place = self.pick(f"*(&{text}[{self.index(size - c, depth)} + {c}] - {c})",
                              f"({text} + {c})[{self.index(size - c, depth)}]",
                              f"({text} + {c})[(int)({self.index(size, depth)}) - {c}]")
        elif kind == 2:
            place = f"({text} + {size})[-1 - (int)({self.index(size, depth)})]"
        elif kind == 3:
            place = f"*({text} + {self.index(size, depth)})"
        else:
            place = f"{text}[{self.index(size, depth)}]"
        lane = f".s{self.random.randrange(array.lanes):x}" if array.lanes > 1 else ""
        return f"({place}){lane}"

    def load(self, depth):
        if not self.arrays:
            return self.leaf()
        array = self.random.choice(self.arrays)
        return self.bits(array.type, self.element(array, depth - 1))

    def call(self, depth):
        if not self.functions:
            return self.leaf()
        name, of, need = self.random.choice(self.functions)
        a, b = self.number(depth - 1), self.number(depth - 1)
        if of is None:
            return f"{name}({a}, {b})"
        fitting = [array for array in self.plain_arrays()
                   if array.type == of and array.size >= need and array.space == "private"]
        if not fitting:
            return a
        array = self.random.choice(fitting)
        return f"{name}(&{array.text}[{self.index(array.size - need + 1)}], {a})"

    def plain_arrays(self):
        return [array for array in self.arrays if array.lanes == 1]
