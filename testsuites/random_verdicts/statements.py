"""Statements of random kernels.  What must not be torn apart stands on one line (reduce.py drops whole lines)."""
from objects import BITS, Objects
from shared_memory import SharedMemory


class Statements(Objects, SharedMemory):
    """in_function: not in the kernel; is_uniform: all of the group come here; inside: loops around that may be left."""

    def block(self, depth, count):
        """Statements in a scope of their own."""
        kept = (len(self.arrays), len(self.numbers), len(self.loops), len(self.records))
        lines = []
        for _ in range(count):
            lines += self.statement(depth)
        for names, length in zip((self.arrays, self.numbers, self.loops, self.records), kept):
            del names[length:]
        return ["  " + line for line in lines]

    def nested(self, depth, count):
        """A block that some work-items may skip."""
        before, self.is_uniform = self.is_uniform, False
        lines = self.block(depth, count)
        self.is_uniform = before
        return lines

    def statement(self, depth):
        planted = self.plant_here(depth)
        if planted:
            return planted
        makers = [self.assign] * 3 + [self.store] * 5 + [self.small_choice] * 3 + [self.through_pointer] * 3
        makers += [self.swap, self.vector_access, self.through_bytes, self.copy_record, self.stack_machine, self.sort]
        if self.reals:
            makers += [self.assign_real, self.sum_of_products]
        if not self.in_function:
            makers += [self.read_input] * 2 + ([self.atomic] * 2 if self.has_atomics else [])
            if not self.has_barriers and not self.is_uniform and self.chance(0.3):
                makers.append(self.leave_kernel)
        if depth > 0:
            makers += [self.branch] * 2 + [self.counted] * 3 + [self.switch] * 2
            makers += [self.fuelled, self.scope, self.scope, self.walk, self.stragglers]
        if self.inside:
            makers += [self.leave_loop] * 2
        if self.in_function and not self.is_uniform:
            makers.append(self.leave_function)
        if self.is_uniform and not self.in_function and self.has_barriers:
            makers += [self.exchange] * 3 + [self.collective] + ([self.asynchronous] * 3 if self.has_copies else [])
            if depth > 0:
                makers.append(self.uniform_loop)
        return self.random.choice(makers)(depth - 1)

    # --- assignments ------------------------------------------------------------------------------

    def variable(self):
        """A uint that may be assigned to."""
        return self.random.choice([name for name in self.numbers if name not in self.fixed])

    def assign(self, depth):
        return [f"{self.variable()} {self.pick('=', '+=', '^=', '-=', '*=')} {self.number(3)};"]

    def assign_real(self, depth):
        name, of = self.random.choice(self.reals)
        return [f"{name} = {self.real(of, 3)};"]

    def store(self, depth):
        if not self.arrays:
            return self.assign(depth)
        array = self.random.choice(self.arrays)
        place = self.element(array, 2)
        if array.type in ("uint", "ulong", "uchar", "ushort") and self.chance(0.3):
            lines = [f"{place} {self.pick('+=', '^=', '|=', '-=')} {self.value(array.type, 1)};"]
        else:
            lines = [f"{place} = {self.value(array.type, 2)};"]
        if self.chance(0.4):
            lines.append(f"{self.variable()} ^= {self.bits(array.type, self.element(array))};")
        return lines

    def small_choice(self, depth):
        """Branches that a compiler makes selections of."""
        x, y, kind = self.variable(), self.variable(), self.random.randrange(5)
        if kind == 0:
            return [f"if ({self.condition(1)}) {x} = {self.number(1)};"]
        if kind == 1:
            return [f"if ({self.condition(1)}) {{ {x} += {self.number(0)}; {y} ^= {self.number(0)}; }}"
                    f" else {{ {y} = {self.number(1)}; }}"]
        if kind == 2:
            return [f"{x} = {self.condition(1)} ? {self.load(1)} : {self.condition(1)} ? {self.load(1)} : {self.load(1)};"]
        if kind == 3 or not self.arrays:
            return [f"if ({self.condition(1)}) {{ if ({self.condition(1)}) {x} = {y} + 1u; else {x} = {self.number(1)}; }}"
                    f" else if ({self.condition(1)}) {y} ^= {x};"]
        array = self.random.choice(self.arrays)
        return [f"if ({self.condition(1)}) {self.element(array)} = {self.value(array.type, 1)};"]

    # --- pointers ---------------------------------------------------------------------------------

    def qualified(self, array):
        """In front of the type behind a pointer; without a word the pointer is a generic one."""
        return f"{array.space} " if self.has_spaces else ""

    def two_arrays(self):
        """Of one type and address space, or None."""
        plain = self.plain_arrays()
        if not plain:
            return None
        a = self.random.choice(plain)
        return a, self.random.choice([b for b in plain if (b.type, b.space) == (a.type, a.space)])

    def through_pointer(self, depth):
        """A pointer that conditions choose, with offsets of both signs."""
        arrays = self.two_arrays()
        if arrays is None:
            return self.assign(depth)
        a, b = arrays
        size = min(a.size, b.size)
        low = self.random.randint(0, size - 1)
        p, of, kind = self.name("p"), self.qualified(a) + a.type, self.random.randrange(4)
        begin, other = (self.pick(f"{one.text} + {low}", f"&{one.text}[{low}]") for one in (a, b))
        if kind == 0:
            lines = [f"{of} *{p} = ({self.condition(1)}) ? {begin} : {other};"]
        elif kind == 1:
            lines = [f"{of} *{p} = {begin};", f"if ({self.condition(1)}) {p} = {other};"]
        elif kind == 2:
            lines = [f"{of} *{p}_of[2] = {{{begin}, {other}}}; {of} *{p} = {p}_of[{self.number(1)} & 1u];"]
        else:
            lines = [f"{of} *{p} = {begin}; switch ({self.number(1)} & 3u) {{ case 0: {p} = {other}; "
                     f"case 1: {p} -= {low}; {p} += {low}; break; default: break; }}"]
        for _ in range(self.random.randint(1, 4)):
            offset = self.random.randint(-low, size - 1 - low)
            place = self.pick(f"{p}[{offset}]", f"*({p} + ({offset}))", f"{p}[(int)({self.index(size)}) - {low}]")
            lines.append(self.random.choice([f"{place} = {self.value(a.type, 1)};",
                                             f"{self.variable()} += {self.bits(a.type, place)};",
                                             f"{self.element(a)} = {self.value(a.type, 0)};"]))
        return ["{", *("  " + line for line in lines), "}"]

    def walk(self, depth):
        """A pointer from one end of an array to the other."""
        plain = self.plain_arrays()
        if not plain:
            return self.assign(depth)
        array = self.random.choice(plain)
        p, end, x, of = self.name("p"), self.name("e"), self.variable(), self.qualified(array) + array.type
        seen, new = self.bits(array.type, f"*{p}"), self.value(array.type, 1)
        if self.chance(0.5):
            return [f"for ({of} *{end} = {array.text} + 0, *{p} = {end} + {array.size}; {p} != {end};) {{ --{p}; {x} += {seen};"
                    f" if ({self.condition(1)}) *{p} = {new}; }}"]
        return [f"for ({of} *{p} = {array.text} + 0, *{end} = {p} + {array.size}; {p} < {end}; ++{p}) {{ {x} = {x} * 31u + {seen};"
                f" if ({self.condition(1)}) {self.pick('break', 'continue')}; *{p} = {new}; }}"]

    def swap(self, depth):
        plain = self.plain_arrays()
        if not plain:
            return self.assign(depth)
        array = self.random.choice(plain)
        x, y, text, size = self.name("n"), self.name("n"), array.text, array.size
        return [f"{{ uint {x} = {self.index(size)}, {y} = {self.index(size)}; {array.type} t = {text}[{x}]; "
                f"{text}[{x}] = {text}[{y}]; {text}[{y}] = t; {self.variable()} ^= {self.bits(array.type, f'{text}[{x}]')}; }}"]

    def vector_access(self, depth):
        """vload and vstore."""
        plain = [array for array in self.plain_arrays() if array.size > 1 and array.type != "half"]
        if not plain:
            return self.assign(depth)
        array = self.random.choice(plain)
        lanes = self.random.choice([lanes for lanes in (2, 3, 4, 8, 16) if lanes <= array.size])
        rows = array.size // lanes
        first = self.random.randint(0, array.size - rows * lanes)
        v = self.name("w")
        text = f"{{ {array.type}{lanes} {v} = vload{lanes}({self.index(rows)}, {array.text} + {first});"
        if array.type in BITS:
            order = "".join(f"{self.random.randrange(lanes):x}" for _ in range(lanes))
            text += f" {v} = {v} ^ {v}.s{order};" if lanes != 3 else f" {v} ^= {v}.s210;"
        text += f" vstore{lanes}({v}, {self.index(rows)}, {array.text} + {first});" if self.chance(0.6) else ""
        return [f"{text} {self.variable()} += {self.bits(array.type, f'{v}.s{self.random.randrange(lanes):x}')}; }}"]

    def through_bytes(self, depth):
        """The bytes of integers, one by one or all."""
        plain = [array for array in self.plain_arrays() if array.type in BITS]
        if not plain:
            return self.assign(depth)
        array = self.random.choice(plain)
        count, p, of = array.size * BITS[array.type] // 8, self.name("b"), self.qualified(array) + "uchar"
        text = f"{{ {of} *{p} = ({of} *)({array.text} + 0); "
        if self.chance(0.4):
            return [f"{text}for (uint i = 0; i < {count}u; ++i) {p}[i] {self.pick('=', '^=')} {p}[{count - 1}u - i]; }}"]
        return [f"{text}{p}[{self.index(count)}] = (uchar){self.number(1)}; {self.variable()} += (uint){p}[{self.index(count)}]; "
                f"{self.variable()} ^= {self.bits(array.type, self.element(array))}; }}"]

    def copy_record(self, depth):
        if not self.records:
            return self.assign(depth)
        a, b = (f"{name}[{self.index(count)}]" if count else name for name, count in self.random.choices(self.records, k=2))
        if self.chance(0.5):
            return [f"{a} = {b};"]
        field, of, size = self.random.choice(self.fields)
        member = f"{field}[{self.index(size)}]" if size else field
        return [f"{{ struct Struct t = {a}; {a}.{member} = {self.value(of, 1)}; if ({self.condition(1)}) {b} = t; "
                f"{self.variable()} ^= {self.bits(of, f't.{member}')}; }}"]

    # --- loops over arrays ------------------------------------------------------------------------

    def stack_machine(self, depth):
        stack, sp, i, size = self.name("st"), self.name("sp"), self.name("i"), self.pick(4, 5, 8, 16)
        of, index = self.pick("uint", "uint", "ulong", "ushort", "uchar"), self.pick("int", "uint", "uchar", "long")
        push = f"{stack}[{sp}++] = ({of}){self.number(1)};"
        code = self.pick(f"table0[{i} & 15u]", f"table1[{i} & 15u]", self.number(1))
        return [f"{{ {of} {stack}[{size}]; {index} {sp} = 0; {push} {push}",
                f"  for (uint {i} = 0; {i} < {self.random.randint(3, 24)}u; ++{i}) switch (({code} + {i}) % {self.random.randint(4, 7)}u) {{",
                f"    case 0: if ({sp} < {size}) {{ {push} }} break;",
                f"    case 1: if ({sp} > 1) {{ {of} t = {stack}[--{sp}]; {stack}[{sp} - 1] = ({of})({stack}[{sp} - 1] + t); }} break;",
                f"    case 2: if ({sp} > 1) {{ {of} t = {stack}[{sp} - 1]; {stack}[{sp} - 1] = {stack}[{sp} - 2]; {stack}[{sp} - 2] = t; }}",
                f"    case 3: if ({sp} < {size}) {{ {stack}[{sp}] = {stack}[{sp} - 1]; ++{sp}; }} {self.pick('break;', 'continue;')}",
                f"    case 4: if ({sp} > 1) {{ --{sp}; {stack}[{sp} - 1] ^= {stack}[{sp}]; }} {self.pick('break;', '')}",
                f"    default: {stack}[{sp} - 1] = ({of})({stack}[{sp} - 1] * 3u + 1u); }}",
                f"  {self.variable()} += (uint){stack}[{sp} - 1] + (uint){sp}; }}"]

    def sort(self, depth):
        plain = [array for array in self.plain_arrays() if array.size > 2]
        if not plain:
            return self.assign(depth)
        array = self.random.choice(plain)
        text, i, j = array.text, self.name("i"), self.name("j")
        return [f"for (int {i} = 1; {i} < {array.size}; ++{i}) {{ {array.type} t = {text}[{i}]; int {j} = {i} - 1; "
                f"while ({j} >= 0 && {text}[{j}] {self.pick('>', '<')} t) {{ {text}[{j} + 1] = {text}[{j}]; --{j}; }} "
                f"{text}[{j} + 1] = t; }}"]

    def sum_of_products(self, depth):
        """Of mixed precision."""
        plain = [array for array in self.plain_arrays() if array.type not in BITS]
        if not plain:
            return self.assign_real(depth)
        a, b = self.random.choices(plain, k=2)
        size, of, i, sum_ = min(a.size, b.size), self.pick("float", "double"), self.name("i"), self.name("m")
        return [f"{{ {of} {sum_} = 0; for (int {i} = 0; {i} < {size}; ++{i}) {sum_} = tame_{of}({sum_} {self.pick('+', '-')} "
                f"tame_{of}(({of}){a.text}[{i}] {self.pick('*', '+')} ({of}){b.text}[{size - 1} - {i}])); "
                f"{self.variable()} += {self.bits(of, sum_)}; }}"]

    def read_input(self, depth):
        """Global memory by other types, by vectors, by strides."""
        x, lanes, v, a = self.variable(), self.pick(2, 3, 4, 8, 16), self.name("w"), self.number(1)
        return [self.pick(
            f"{{ uint{lanes} {v} = vload{lanes}({a} % {1024 // lanes}u, in); {x} ^= {v}.s{self.random.randrange(lanes):x}; }}",
            f"{{ global const uint *{v} = in + 512 + ({a} & 255u); {x} += {v}[-{self.random.randint(1, 500)}] ^ {v}[{self.random.randint(0, 255)}]; }}",
            f"{x} += ((global const uchar *)in)[gid * {self.pick(1, 2, 4)}u & 4095u];",
            f"for (uint {v} = gid & 7u; {v} < 1024u; {v} += {self.pick(64, 97, 128, 200)}u) {x} = {x} * 5u + in[{v}];")]

    # --- control flow -----------------------------------------------------------------------------

    def branch(self, depth):
        lines = [f"if ({self.condition(2)}) {{", *self.nested(depth, self.random.randint(1, 3))]
        if self.chance(0.5):
            lines += ["} else {", *self.nested(depth, self.random.randint(1, 3))]
        return [*lines, "}"]

    def looped(self, head, tail, depth):
        self.inside += 1
        lines = [head, *self.nested(depth, self.random.randint(1, 3)), tail]
        self.inside -= 1
        return lines

    def counted(self, depth):
        i, bound, of = self.name("i"), self.random.randint(1, 9), self.pick("int", "uint", "uint", "uchar", "short", "long", "ulong")
        heads = [f"for ({of} {i} = {bound}; {i}-- > 0;) {{",
                 f"for ({of} {i} = 0, z{i} = ({of})({self.number(1)} % {bound}u); {i} < z{i}; ++{i}) {{"]
        heads += [f"for ({of} {i} = 0; {i} < {bound}; {i} += {self.pick(1, 1, 1, 2)}) {{"] * 2
        self.loops.append((i, bound))
        lines = self.looped(self.random.choice(heads), "}", depth)
        self.loops.remove((i, bound))
        return lines

    def fuelled(self, depth):
        k, most = self.name("k"), self.random.randint(1, 6)
        if self.chance(0.5):
            return self.looped(f"for (uint {k} = 0; {k} < {most}u && ({self.condition(1)}); ++{k}) {{", "}", depth)
        return ["{", f"  uint {k} = 0;", *self.looped("  do {", f"  }} while (++{k} < {most}u && ({self.condition(1)}));", depth), "}"]

    def stragglers(self, depth):
        """Few work-items go on for long."""
        i, period = self.name("i"), self.pick(8, 16, 32, 61)
        who = self.random.choice(self.numbers) if self.in_function else "gid"
        most = 12 if self.inside or self.in_function else self.pick(40, 150, 400)
        return self.looped(f"for (uint {i} = 0, z{i} = {who} % {period}u == {self.random.randrange(3)}u ? {most}u + {who} % 7u : "
                           f"({who} & 1u); {i} < z{i}; ++{i}) {{", "}", 0)

    def switch(self, depth):
        cases = self.random.sample(range(8), self.random.randint(1, 5))
        of = self.pick("uint", "uint", "ulong", "ushort")
        lines = [f"switch (({of})({self.number(1)} % {self.pick(3, 5, 9)}u)) {{"]
        default = self.random.randrange(len(cases) + 1)
        for place, case in enumerate(cases):
            for label in (["default"] if place == default else []) + [f"case {case}"]:
                end = "  } break;" if self.chance(0.6) else "  }"
                lines += [f"  {label}: {{", *self.nested(depth, self.random.randint(1, 2)), end]
        return [*lines, "}"]

    def scope(self, depth):
        """Objects of an inner scope."""
        kept = len(self.arrays), len(self.records)
        before, self.is_uniform = self.is_uniform, False
        lines = ["{", *("  " + line for line in self.declare()), *self.block(depth, self.random.randint(2, 4))]
        self.is_uniform = before
        array = self.random.choice(self.arrays[kept[0]:])
        lines += [f"  {self.variable()} += {self.bits(array.type, self.element(array))};", "}"]
        del self.arrays[kept[0]:], self.records[kept[1]:]
        return lines

    def uniform_loop(self, depth):
        """A loop of the whole group, which may hold barriers."""
        i, bound = self.name("i"), self.random.randint(1, 4)
        inside, self.inside = self.inside, 0
        self.loops.append((i, bound))
        lines = [f"for (uint {i} = 0; {i} < {bound}u; ++{i}) {{", *self.block(depth, self.random.randint(1, 3)), "}"]
        self.loops.remove((i, bound))
        self.inside = inside
        return lines

    def leave_loop(self, depth):
        return [f"if ({self.condition(1)}) {self.pick('break', 'continue')};"]

    def leave_function(self, depth):
        return [f"if ({self.condition(1)}) return {self.number(1)};"]

    def leave_kernel(self, depth):
        return [f"if ({self.condition(1)}) {{ out[gid * RESULTS] = {self.number(1)}; return; }}"]
