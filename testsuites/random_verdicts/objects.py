"""Objects of random kernels.  Each is declared and initialised on one line, so that reduce.py drops both or none."""
from expressions import BITS, FLOATS, Array, Expressions

# Members of `union Union` that are read: bytes and words, of which C says what they are.
UNION_MEMBERS = [("words", "uint", 4), ("bytes", "uchar", 16), ("signs", "char", 16)]


class Objects(Expressions):
    """fields: (name, type, elements or 0) of `struct Struct`; records: (name, elements or 0) of its objects."""

    def declare(self):
        """Lines that make an object, which is in scope from here on."""
        maker = self.random.choice([self.declare_array] * 3 + [self.declare_matrix, self.declare_vectors, self.declare_union]
                                   + [self.declare_record] * 2)
        return [maker()]

    def declare_array(self):
        of, size = self.random.choice(self.types), self.pick(1, 2, 3, 4, 5, 7, 8, 9, 16)
        array = Array(self.name("a"), of, size)
        if self.chance(0.35):
            some = ", ".join(f"({of}){self.random.randrange(128)}" for _ in range(self.random.randint(1, size)))
            text = f"{of} {array.text}[{size}] = {{{some}}};"
        else:
            text = f"{of} {array.text}[{size}]; {self.fill(array)}"
        self.arrays.append(array)
        return text

    def fill(self, array):
        value = self.of_number(array.type, f"{self.number(1)} + i * {self.random.randrange(1, 99)}u")
        lanes = array.lanes if array.lanes > 1 else ""
        return f"for (uint i = 0; i < {array.size}u; ++i) {array.text}[i] = ({array.type}{lanes}){value};"

    def declare_matrix(self):
        of, rows, columns = self.random.choice(self.types), self.pick(2, 3, 4), self.pick(2, 3, 4, 5)
        name = self.name("m")
        value = self.of_number(of, f"{self.number(1)} * (i + 1u) + j")
        text = (f"{of} {name}[{rows}][{columns}]; for (uint i = 0; i < {rows}u; ++i) "
                f"for (uint j = 0; j < {columns}u; ++j) {name}[i][j] = {value};")
        for row in (self.random.randrange(rows), f"{self.random.choice(self.numbers)} % {rows}u"):
            self.arrays.append(Array(f"{name}[{row}]", of, columns))
        return text

    def declare_vectors(self):
        whole = [of for of in self.types if of in BITS]
        array = Array(self.name("v"), self.random.choice(whole), self.pick(1, 2, 3, 4, 5), self.pick(2, 3, 4, 8, 16))
        text = f"{array.type}{array.lanes} {array.text}[{array.size}]; {self.fill(array)}"
        self.arrays.append(array)
        return text

    def declare_union(self):
        name = self.name("u")
        text = f"union Union {name}; for (uint i = 0; i < 4u; ++i) {name}.words[i] = {self.number(1)} * (i + 7u);"
        self.arrays += [Array(f"{name}.{member}", of, size) for member, of, size in UNION_MEMBERS]
        return text

    def set_fields(self, text):
        """Statements that initialise the structure."""
        return " ".join(
            f"for (uint j = 0; j < {size}u; ++j) {text}.{field}[j] = {self.of_number(of, f'{self.number(1)} + j * 5u')};"
            if size else f"{text}.{field} = {self.value(of, 1)};" for field, of, size in self.fields)

    def declare_record(self):
        name, count = self.name("s"), self.pick(0, 0, 2, 3, 4)
        if count:
            text = f"struct Struct {name}[{count}]; for (uint i = 0; i < {count}u; ++i) {{ {self.set_fields(f'{name}[i]')} }}"
            places = [f"{name}[{self.random.randrange(count)}]", f"{name}[{self.random.choice(self.numbers)} % {count}u]"]
        else:
            text, places = f"struct Struct {name}; {self.set_fields(name)}", [name]
        self.records.append((name, count))
        for place in places:
            for field, of, size in self.fields:
                self.arrays.append(Array(f"{place}.{field}" if size else f"(&{place}.{field})", of, max(size, 1)))
        return text

    def fold(self, array):
        """Statements that make of all elements one uint of this name."""
        name = self.name("h")
        lane = f".s{self.random.randrange(array.lanes):x}" if array.lanes > 1 else ""
        element = self.bits(array.type, f"({array.text})[i]{lane}")
        return name, f"uint {name} = 17u; for (uint i = 0; i < {array.size}u; ++i) {name} = {name} * 31u + {element};"


__all__ = ["Array", "BITS", "FLOATS", "Objects"]
