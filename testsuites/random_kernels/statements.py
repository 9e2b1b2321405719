"""Statements of random kernels: assignments, branches, loops with bounds, gotos, barriers."""
from values import Type


class Statements:
    def __init__(self, scope, barriers=False, in_helper=None):
        self.scope = scope
        self.rng = scope.rng
        self.barriers = barriers    # in the kernel, where the whole group comes past
        self.in_helper = in_helper  # the result's type: functions may return early
        self.uniform = True         # every work-item of the group executes this
        self.loops = 0

    def block(self, depth, count):
        lines = []
        for _ in range(count):
            lines += self.statement(depth)
        return lines

    def nested(self, depth, count):
        """A block that some work-items may skip."""
        before, self.uniform = self.uniform, False
        lines = self.block(depth, count)
        self.uniform = before
        return ["  " + line for line in lines]

    def statement(self, depth):
        makers = [self.assignment] * 5 + [self.store_everything]
        if depth > 0:
            makers += [self.branch, self.branch, self.counted_loop, self.counted_loop, self.fuelled_loop,
                       self.switch, self.skip, self.backward_goto, self.two_entries]
        if self.scope.helpers:
            makers.append(self.pointer_call)
        if self.barriers and self.uniform:
            makers += [self.exchange, self.exchange, self.uniform_loop] if depth > 0 else [self.exchange]
        if self.in_helper is not None and not self.uniform:
            makers.append(self.early_return)
        if self.loops > 0:
            makers.append(self.leave)
        return self.rng.choice(makers)(depth - 1)

    def target(self):
        """Something to assign to, and its type."""
        scope = self.scope
        t = self.rng.choice([v.type for v in scope.variables] +
                            [element for _, element, _ in scope.arrays])
        return self.rng.choice(scope.places(t)), t

    def assignment(self, depth):
        place, t = self.target()
        value = self.scope.expression(t, self.rng.randint(1, 3))
        if t.name in ("uint", "ulong") and self.rng.random() < 0.3:
            return [f"{place} {self.rng.choice(['+', '-', '*', '^', '|', '&'])}= {value};"]
        if t.name in ("uint", "ulong") and self.rng.random() < 0.1:
            return [self.rng.choice([f"++{place};", f"{place}--;"])]
        return [f"{place} = {value};"]

    def store_everything(self, depth):
        """A structure assigned as a whole, where there are two."""
        records = self.scope.records
        if len(records) < 2:
            return self.assignment(depth)
        a, b = self.rng.sample(records, 2)
        return [f"{a} = {b};"]

    def branch(self, depth):
        lines = [f"if ({self.scope.condition(1)}) {{", *self.nested(depth, self.rng.randint(1, 3))]
        if self.rng.random() < 0.6:
            lines += ["} else {", *self.nested(depth, self.rng.randint(1, 3))]
        return lines + ["}"]

    def counted_loop(self, depth):
        scope = self.scope
        i, n = scope.fresh("i"), scope.fresh("n")
        self.loops += 1
        body = self.nested(depth, self.rng.randint(1, 3))
        self.loops -= 1
        return [f"uint {n} = ({scope.expression(scope.uint, 1)}) & {self.rng.choice([1, 3, 7])}u;",
                f"for (uint {i} = 0; {i} < {n}; ++{i}) {{", *body, "}"]

    def fuelled_loop(self, depth):
        fuel = self.scope.fresh("fuel")
        self.loops += 1
        body = self.nested(depth, self.rng.randint(1, 3))
        self.loops -= 1
        condition = f"{fuel}-- > 0 && ({self.scope.condition(1)})"
        start = f"uint {fuel} = {self.rng.randint(1, 5)};"
        if self.rng.random() < 0.5:
            return [start, f"while ({condition}) {{", *body, "}"]
        return [start, "do {", *body, f"}} while ({condition});"]

    def leave(self, depth):
        word = self.rng.choice(["break", "continue"])
        return [f"if ({self.scope.condition(1)}) {word};"]

    def early_return(self, depth):
        value = self.scope.expression(self.in_helper, 1)
        return [f"if ({self.scope.condition(1)}) return {value};"]

    def switch(self, depth):
        scope = self.scope
        values = self.rng.sample(range(8), self.rng.randint(2, 5))
        labels = [f"case {v}:" for v in values]
        labels.insert(self.rng.randrange(len(labels) + 1), "default:")
        lines = [f"switch (({scope.expression(scope.uint, 1)}) & 7u) {{"]
        # A `continue` in here would be the enclosing loop's, a `break` the switch's: both are fine.
        for label in labels:
            lines.append(f"  {label} {{")
            lines += ["  " + line for line in self.nested(depth, self.rng.randint(1, 2))]
            lines.append("  }")
            if self.rng.random() < 0.7:
                lines.append("  break;")
        return lines + ["}"]

    def skip(self, depth):
        label = self.scope.fresh("skip")
        return [f"if ({self.scope.condition(1)}) goto {label};", "{",
                *self.nested(depth, self.rng.randint(1, 3)), "}", f"{label}:;"]

    def without_loops(self, depth, count):
        """A block whose break and continue are its own loops'."""
        loops, self.loops = self.loops, 0
        lines = self.nested(depth, count)
        self.loops = loops
        return lines

    def backward_goto(self, depth):
        scope = self.scope
        label, fuel = scope.fresh("again"), scope.fresh("fuel")
        return [f"uint {fuel} = {self.rng.randint(1, 4)};", f"{label}:;", "{",
                *self.without_loops(depth, self.rng.randint(1, 3)), "}",
                f"if ({fuel}-- > 0 && ({scope.condition(1)})) goto {label};"]

    def two_entries(self, depth):
        """A loop that is entered at its top or in its middle."""
        scope = self.scope
        top, middle, fuel = scope.fresh("top"), scope.fresh("middle"), scope.fresh("fuel")
        return [f"uint {fuel} = {self.rng.randint(1, 4)};",
                f"if ({scope.condition(1)}) goto {middle};", f"{top}:;", "{",
                *self.without_loops(depth, self.rng.randint(1, 2)), "}", f"{middle}:;", "{",
                *self.without_loops(depth, self.rng.randint(1, 2)), "}",
                f"if ({fuel}-- > 0 && ({scope.condition(1)})) goto {top};"]

    def pointer_call(self, depth):
        scope = self.scope
        name, parameters, result, pointer = self.rng.choice(scope.helpers)
        places = scope.places(result)
        if not places:
            return self.assignment(depth)
        arguments = [f"({p})({scope.expression(p, 1)})" for p in parameters]
        lines = []
        if pointer:
            more = scope.fresh("more")
            lines.append(f"uint {more} = {scope.expression(scope.uint, 1)};")
            arguments.append(f"&{more}")
        lines.append(f"{self.rng.choice(places)} = {name}({', '.join(arguments)});")
        targets = [v.name for v in scope.variables if v.type == scope.uint]
        if pointer and targets:
            lines.append(f"{self.rng.choice(targets)} ^= {lines[0].split()[1]};")
        return lines

    def exchange(self, depth):
        """Values handed around in local memory."""
        scope = self.scope
        received = self.rng.choice(["(lid + 1) % group", "group - 1 - lid",
                                    f"({scope.expression(scope.uint, 1)}) % group"])
        place, t = self.target()
        value = "cells[" + received + "]"
        if t.name == "float":
            value = f"tame((float)({value} >> 9))"
        elif t.lanes > 1:
            value = f"({t})(({Type(t.name, 1)}){value})"
        else:
            value = f"({t}){value}"
        return [f"cells[lid] = (uint)({scope.expression(scope.uint, 2)});",
                "barrier(CLK_LOCAL_MEM_FENCE);", f"{place} = {value};",
                "barrier(CLK_LOCAL_MEM_FENCE);"]

    def uniform_loop(self, depth):
        """A loop of the whole group, which may hold barriers."""
        i = self.scope.fresh("round")
        loops, self.loops = self.loops, 0
        body = ["  " + line for line in self.block(depth, self.rng.randint(1, 3))]
        self.loops = loops
        return [f"for (uint {i} = 0; {i} < {self.rng.randint(1, 4)}; ++{i}) {{", *body, "}"]
