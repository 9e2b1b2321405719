"""Types, variables and expressions of random kernels; generate.py says what they promise."""
import collections

BITS = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64}
INTEGERS = list(BITS)


class Type(collections.namedtuple("Type", "name lanes")):
    def __str__(self):
        return self.name + (str(self.lanes) if self.lanes > 1 else "")

    @property
    def bits(self):
        return BITS[self.name]

    @property
    def signed(self):
        return self.name in ("char", "short", "int", "long")


Variable = collections.namedtuple("Variable", "name type")


def unsigned(t):
    return Type("u" + t.name, t.lanes) if t.signed else t


def signed(t):
    return t if t.signed else Type(t.name[1:], t.lanes)


class Vocabulary:
    """The few types that one kernel uses, so that its values meet."""

    def __init__(self, rng):
        self.rng = rng
        self.widths = sorted({1, rng.choice([1, 2, 4]), rng.choice([1, 3, 4, 8, 16])})
        self.names = sorted({"uint", "int", rng.choice(INTEGERS), rng.choice(INTEGERS)})
        self.floats = rng.random() < 0.4
        self.fields = [(f"f{k}", self.integer_type()) for k in range(rng.randint(2, 4))]

    def integer_type(self):
        width = 1 if self.rng.random() < 0.6 else self.rng.choice(self.widths)
        return Type(self.rng.choice(self.names), width)

    def any_type(self):
        if self.floats and self.rng.random() < 0.25:
            return Type("float", 1)
        return self.integer_type()

    def struct_text(self):
        fields = [f"  {t} {name};" for name, t in self.fields]
        return ["typedef struct {", *fields, "  uint list[4];", "} Record;", ""]


class Scope:
    """What an expression may name."""

    uint = Type("uint", 1)

    def __init__(self, rng, vocabulary, variables, helpers):
        self.rng = rng
        self.vocabulary = vocabulary
        self.variables = variables
        self.helpers = helpers
        self.arrays = []   # (name, element type, size: a power of two)
        self.records = []  # names of objects of type Record
        self.declarations = []
        self.names = 0
        self.in_kernel = False

    def fresh(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def add_objects(self):
        """Private arrays and structures of the kernel."""
        self.in_kernel = True
        for _ in range(self.rng.randint(0, 2)):
            t, size = self.vocabulary.integer_type(), self.rng.choice([2, 4, 8])
            name = self.fresh("array")
            fill = self.expression(t, 1)
            self.declarations.append(f"{t} {name}[{size}];")
            self.declarations.append(f"for (uint i = 0; i < {size}; ++i) {name}[i] = {fill};")
            self.arrays.append((name, t, size))
        for _ in range(self.rng.randint(0, 2)):
            name = self.fresh("record")
            self.declarations.append(f"Record {name};")
            for field, t in self.vocabulary.fields:
                self.declarations.append(f"{name}.{field} = {self.expression(t, 1)};")
            self.declarations.append(f"for (uint i = 0; i < 4; ++i) {name}.list[i] = lid * i;")
            self.records.append(name)

    def object_folds(self):
        """An expression of type ulong for each object."""
        folds = []
        for name, t, size in self.arrays:
            lane = "" if t.lanes == 1 else ".s1"
            parts = " ^ ".join(f"((ulong)({name}[{k}]{lane}) << {k})" for k in range(size))
            folds.append(parts)
        for name in self.records:
            folds.append(f"(ulong){name}.list[1] * 3ul + {name}.list[3]")
        return folds

    def places(self, t):
        """Everything of this type that can be assigned to."""
        found = [v.name for v in self.variables if v.type == t]
        for name, element, size in self.arrays:
            if element == t:
                found.append(f"{name}[{self.index(size)}]")
        for record in self.records:
            found += [f"{record}.{field}" for field, type_ in self.vocabulary.fields if type_ == t]
            if t == self.uint:
                found.append(f"{record}.list[{self.index(4)}]")
        if t.lanes == 1:
            for v in self.variables:
                if v.type.lanes > 1 and v.type.name == t.name:
                    found.append(f"{v.name}.s{self.rng.randrange(v.type.lanes):x}")
        return found

    def index(self, size):
        names = [v.name for v in self.variables if v.type == self.uint]
        names += ["gid", "lid"] if self.in_kernel else []
        index = self.rng.choice(names) if names else f"{self.rng.randrange(size)}u"
        return f"{index} & {size - 1}u"

    def literal(self, t):
        if t.name == "float":
            return f"{self.rng.randint(1, 4000) / 16}f"
        limit = 1 << (t.bits - (1 if t.signed else 0))
        value = self.rng.choice([0, 1, 2, 3, 5, limit - 1, limit // 2, self.rng.randrange(limit)])
        suffix = {"uint": "u", "long": "l", "ulong": "ul"}.get(t.name, "")
        return f"({t})({value}{suffix})"

    def leaf(self, t):
        places = self.places(t)
        if places and self.rng.random() < 0.85:
            return self.rng.choice(places)
        if t == self.uint and self.in_kernel and self.rng.random() < 0.5:
            return self.rng.choice(["gid", "lid", "group"])
        return self.literal(t)

    def expression(self, t, depth):
        if depth <= 0:
            return self.leaf(t)
        if t.name == "float":
            return self.float_expression(depth)
        makers = [self.arithmetic, self.arithmetic, self.bitwise, self.division, self.shift,
                  self.comparison, self.choice, self.builtin, self.builtin, self.conversion,
                  self.reinterpretation, self.call, self.assembly, self.leaf_only]
        return self.rng.choice(makers)(t, depth - 1)

    def leaf_only(self, t, depth):
        return self.leaf(t)

    def condition(self, depth):
        """A scalar int."""
        t = Type(self.rng.choice(self.vocabulary.names), 1)
        a, b = self.expression(t, depth), self.expression(t, depth)
        text = f"({a}) {self.rng.choice(['<', '<=', '>', '>=', '==', '!='])} ({b})"
        kind = self.rng.random()
        if kind < 0.1:
            return f"({text}) && ({self.condition(depth - 1) if depth > 0 else '1'})"
        if kind < 0.2:
            return f"({text}) || ({self.condition(depth - 1) if depth > 0 else '0'})"
        if kind < 0.4:
            return f"(uint)({a}) & {1 << self.rng.randrange(4)}u"
        return text

    def arithmetic(self, t, depth):
        a, b = self.expression(t, depth), self.expression(t, depth)
        op = self.rng.choice("+-*")
        if t.lanes > 1:
            u = unsigned(t)
            return f"as_{t}(as_{u}({a}) {op} as_{u}({b}))"
        wide = "ulong" if t.bits == 64 else "uint"
        return f"({t})(({wide})({a}) {op} ({wide})({b}))"

    def bitwise(self, t, depth):
        a, b = self.expression(t, depth), self.expression(t, depth)
        return self.rng.choice([f"({t})(({a}) & ({b}))", f"({t})(({a}) | ({b}))",
                                f"({t})(({a}) ^ ({b}))", f"({t})(~({a}))"])

    def division(self, t, depth):
        a, b = self.expression(t, depth), self.expression(t, depth)
        op = self.rng.choice("/%")
        # Positive where the type is signed, so that the least value is not divided by -1.
        mask = f"({t})({(1 << (t.bits - 1)) - 1}ul)" if t.lanes == 1 else f"({t})(0x3f)"
        return f"({t})(({a}) {op} ((({b}) & {mask}) | ({t})(1)))"

    def shift(self, t, depth):
        a, b = self.expression(t, depth), self.expression(t, depth)
        count = f"(({b}) & ({t})({t.bits - 1}))"
        if self.rng.random() < 0.5:
            return f"({t})(({a}) >> {count})"
        if t.lanes > 1:
            u = unsigned(t)
            return f"as_{t}(as_{u}({a}) << as_{u}({count}))"
        return f"({t})((ulong)({a}) << {count})"

    def comparison(self, t, depth):
        a, b = self.expression(t, depth), self.expression(t, depth)
        op = self.rng.choice(["<", "<=", ">", ">=", "==", "!="])
        if t.lanes == 1:
            return f"({t})(({a}) {op} ({b}))"
        return f"as_{t}(({a}) {op} ({b}))"

    def choice(self, t, depth):
        a, b = self.expression(t, depth), self.expression(t, depth)
        if t.lanes > 1 and self.rng.random() < 0.5:
            mask = self.expression(unsigned(t), depth)
            return f"select({a}, {b}, {mask})"
        return f"(({self.condition(depth - 1)}) ? ({t})({a}) : ({t})({b}))"

    def builtin(self, t, depth):
        def operand():
            # A cast, because an operand may have been promoted to int.
            return f"({t})({self.expression(t, depth)})"
        a, b, c = operand(), operand(), operand()
        name = self.rng.choice(["min", "max", "rotate", "add_sat", "sub_sat", "hadd", "rhadd", "mul_hi",
                                "abs", "abs_diff", "popcount", "clz", "clamp", "bitselect"])
        if name in ("popcount", "clz"):
            return f"{name}({a})"
        if name == "abs":
            return f"as_{t}(abs({a}))"
        if name == "abs_diff":
            return f"as_{t}(abs_diff({a}, {b}))"
        if name == "clamp":
            return f"clamp({a}, min({b}, {c}), max({b}, {c}))"
        if name == "bitselect":
            return f"bitselect({a}, {b}, {c})"
        return f"{name}({a}, {b})"

    def conversion(self, t, depth):
        if self.vocabulary.floats and t.lanes == 1 and self.rng.random() < 0.3:
            return f"convert_{t}_sat({self.expression(Type('float', 1), depth)})"
        source = Type(self.rng.choice(self.vocabulary.names), t.lanes)
        a = self.expression(source, depth)
        return f"convert_{t}{self.rng.choice(['', '_sat'])}(({source})({a}))"

    def reinterpretation(self, t, depth):
        other = signed(t) if not t.signed else unsigned(t)
        return f"as_{t}(({other})({self.expression(other, depth)}))"

    def call(self, t, depth):
        """A helper function of this result, where there is one."""
        fitting = [h for h in self.helpers if h[2] == t and not h[3]]
        if not fitting:
            return self.arithmetic(t, depth)
        name, parameters, _, _ = self.rng.choice(fitting)
        return f"{name}({', '.join(f'({p})({self.expression(p, depth - 1)})' for p in parameters)})"

    def assembly(self, t, depth):
        """A vector out of components, or a component of a vector."""
        if t.lanes == 1:
            wider = [w for w in self.vocabulary.widths if w > 1]
            if not wider:
                return self.bitwise(t, depth)
            source = Type(t.name, self.rng.choice(wider))
            lane = self.rng.randrange(source.lanes)
            return f"(({source})({self.expression(source, depth)})).s{lane:x}"
        order = "".join(f"{self.rng.randrange(t.lanes):x}" for _ in range(t.lanes))
        if self.rng.random() < 0.6 or t.lanes > 4:
            return f"(({t})({self.expression(t, depth)})).s{order}"
        scalar = Type(t.name, 1)
        parts = [f"({scalar})({self.expression(scalar, depth - 1)})" for _ in range(t.lanes)]
        return f"({t})({', '.join(parts)})"

    def float_expression(self, depth):
        f = Type("float", 1)
        a, b, c = (self.expression(f, depth - 1) for _ in range(3))
        forms = [f"tame(({a}) + ({b}))", f"tame(({a}) - ({b}))", f"tame(({a}) * ({b}))",
                 f"tame(fma({a}, {b}, {c}))", f"tame(floor({a}))", f"tame(rint({a}))",
                 f"tame(trunc({a}))", f"fabs({a})", f"fmin({a}, {b})", f"fmax({a}, {b})",
                 f"copysign({a}, {b})", f"(({a}) < ({b}) ? ({b}) : ({c}))", f"tame(ldexp({a}, 2))",
                 f"tame((float)(({self.expression(Type('int', 1), depth - 1)})))"]
        return self.rng.choice(forms)
