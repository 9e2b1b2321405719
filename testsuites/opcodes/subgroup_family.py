"""Kernels of subgroups.py: instructions of sub-groups with what they give, stored row by row."""

from spirv_text import BUILT_INS, Module, buffer, expectation, filled, split, write

SIZE = 16
ITEMS = 40  # of a work-group
GROUPS = 2

for built_in in ["SubgroupSize", "SubgroupMaxSize", "NumSubgroups", "NumEnqueuedSubgroups",
                 "SubgroupId", "SubgroupLocalInvocationId"]:
    BUILT_INS[built_in] = 0


class Part:
    """The work-items of one sub-group that take part, by ascending id."""

    def __init__(self, size, ids, rows):
        self.size = size  # the largest of the launch
        self.ids = ids
        self.rows = rows  # by name: a value for each id

    def each(self, function):
        return [function(i) for i in self.ids]

    def value(self, name, i):
        return self.rows[name][self.ids.index(i)]


class Family:
    """One kernel: instructions with what they give, stored row by row."""

    def __init__(self, name, kind, inputs, size=SIZE, items=ITEMS, groups=GROUPS):
        self.name, self.kind, self.inputs = name, kind, inputs
        self.size, self.items, self.groups = size, items, groups
        self.calls = []  # result type, text, function, where: "all", "some"

    def add(self, result, text, function, where="all"):
        self.calls.append((result, text, function, where))

    def both(self, result, text, function):
        self.add(result, text, function)
        self.add(result, text, function, "some")

    @property
    def largest(self):
        return min(self.size, self.items)

    def subgroups(self):
        """(place of the first work-item among all, how many)"""
        for group in range(self.groups):
            for first in range(0, self.items, self.size):
                yield group * self.items + first, min(self.size, self.items - first)

    def is_some(self, item):
        """Whether a work-item takes part where only some do: never none of a sub-group."""
        return item % 3 != 1 or item % self.items % self.size == 0

    def parts(self, where):
        for first, count in self.subgroups():
            ids = [i for i in range(count) if where == "all" or self.is_some(first + i)]
            rows = {name: [data[first + i] for i in ids] for name, (_, data) in self.inputs.items()}
            yield first, Part(self.largest, ids, rows)

    def write(self, capabilities, extensions=(), version="1.3", extra="", required=True):
        total = self.items * self.groups
        modes = [f"OpExecutionMode %test SubgroupSize {self.size}"] if required else []
        module = Module(version=version, extensions=extensions, modes=modes,
                        capabilities=list(capabilities) + ["SubgroupDispatch"] * required)
        if extra:
            module.declare(extra)
        head = ["%gid3 = OpLoad %v3ulong %GlobalInvocationId",
                "%gid = OpCompositeExtract %ulong %gid3 0",
                "%local = OpLoad %uint %SubgroupLocalInvocationId"]
        parameters, arguments = [], []
        flags = {"some": ("uint", [int(self.is_some(i)) for i in range(total)])}
        for name, (kind, data) in {**self.inputs, **flags}.items():
            parameters.append((f"in_{name}", f"G_{kind}"))
            arguments.append(buffer(kind, data))
            head += [f"%p_{name} = OpInBoundsPtrAccessChain %G_{kind} %in_{name} %gid",
                     f"%{name} = OpLoad %{kind} %p_{name}"]
        bodies = {"all": [], "some": []}
        outputs = {}
        for place, (result, text, function, where) in enumerate(self.calls):
            stored = "uint" if result == "bool" else result
            data = outputs.setdefault(stored, [])
            components = split(stored)[1]
            row = len(data) // components // total
            results = [0] * (total * components)
            for first, part in self.parts(where):
                for i, value in zip(part.ids, function(part)):
                    for c, one in enumerate(value if components > 1 else [value]):
                        results[(first + i) * components + c] = int(one)
            data += results
            lines = [f"%r{place} = {text.format(T=f'%{result}')}"]
            if result == "bool":
                lines.append(f"%s{place} = OpSelect %uint %r{place} %uint_1 %uint_0")
            value = f"%{'s' if result == 'bool' else 'r'}{place}"
            lines += [f"%i{place} = OpIAdd %ulong %gid %ulong_{row * total}",
                      f"%o{place} = OpInBoundsPtrAccessChain %G_{stored} %out_{stored} %i{place}",
                      f"OpStore %o{place} {value}"]
            bodies[where] += lines
        expect = {}
        for stored, data in outputs.items():
            expect[str(len(parameters))] = expectation(stored, data)
            parameters.append((f"out_{stored}", f"G_{stored}"))
            arguments.append(filled(stored, len(data) // split(stored)[1]))
        body = head + bodies["all"]
        if bodies["some"]:
            body += ["%takes_part = OpINotEqual %bool %some %uint_0",
                     "OpBranchConditional %takes_part %inside %end", "%inside = OpLabel",
                     *bodies["some"], "OpBranch %end", "%end = OpLabel"]
        module.kernel("test", parameters, "\n".join(body))
        write(self.name, module, {"kernel": "test", "global": [total], "local": [self.items],
                                  **({} if required else {"sub_group_size": self.size}),
                                  "args": arguments, "expect": {"buffers": expect}})
