"""Words of SPIR-V modules that are made to be large: just enough of an assembler."""

import struct

ADDRESSES, LINKAGE, KERNEL, INT64 = 4, 5, 6, 11


def string(text):
    data = text.encode() + b"\0"
    data += b"\0" * (-len(data) % 4)
    return struct.unpack(f"<{len(data) // 4}I", data)


class Module:
    """A kernel `k(global uint *out)`; what comes before and in it is up to the caller."""

    def __init__(self, capabilities=(ADDRESSES, LINKAGE, KERNEL, INT64)):
        self.capabilities = capabilities
        self.bound = 1
        self.annotations = []
        self.types = []
        self.functions = []
        self.void = self.new()
        self.uint = self.new()
        self.pointer = self.new()
        self.function_type = self.new()
        self.plain_type = self.new()
        self.kernel = self.new()
        self.out = self.new()
        self.imports = []
        self.strings = []
        self.type(19, self.void)
        self.type(21, self.uint, 32, 0)
        self.type(32, self.pointer, 5, self.uint)  # CrossWorkgroup
        self.type(33, self.function_type, self.void, self.pointer)
        self.type(33, self.plain_type, self.void)

    def new(self):
        self.bound += 1
        return self.bound - 1

    @staticmethod
    def words(opcode, operands):
        assert len(operands) < 0xFFFF
        return [(len(operands) + 1) << 16 | opcode, *operands]

    def annotate(self, opcode, *operands):
        self.annotations += self.words(opcode, operands)

    def type(self, opcode, *operands):
        self.types += self.words(opcode, operands)

    def code(self, opcode, *operands):
        self.functions += self.words(opcode, operands)

    def constant(self, value):
        result = self.new()
        self.type(43, self.uint, result, value)
        return result

    def begin(self, function=None, plain=True):
        """A function without parameters, and its first block."""
        function = function or self.new()
        self.code(54, self.void, function, 0, self.plain_type if plain else self.function_type)
        if not plain:
            self.code(55, self.pointer, self.out)
        self.code(248, self.new())
        return function

    def end(self):
        self.code(253)
        self.code(56)

    def call(self, function):
        self.code(57, self.void, self.new(), function)

    def begin_kernel(self):
        self.begin(self.kernel, plain=False)

    def bytes(self):
        words = [0x07230203, 0x00010000, 0, self.bound, 0]
        for capability in self.capabilities:
            words += self.words(17, [capability])
        words += self.imports
        words += self.words(14, [2, 2])  # Physical64, OpenCL
        words += self.words(15, [6, self.kernel, *string("k")])
        words += self.strings + self.annotations + self.types + self.functions
        return struct.pack(f"<{len(words)}I", *words)
