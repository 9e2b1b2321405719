"""Undefined behaviour that is planted into random kernels: kinds, and the rules that have to find each.

A plant is a line that ends with `// planted`.  It says in `reached` whether it happens: not all work-items come to it,
and not each of those does something wrong there.  What it leaves behind is defined, so that nothing follows from it.
"""
import collections

# `detectors`: each of them has to find it alone; "none" where it is always found.
Plant = collections.namedtuple("Plant", "rules make detectors is_uniform", defaults=(False,))

REACH = "atomic_or(reached, 1u);"
BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"
OUTSIDE = ("memory-out-of-bounds",)
INSIDE = ("memory-out-of-bounds", "pointer-array-index", "pointer-arithmetic")
UNDEFINED = ("uninitialized-value", "undefined-branch", "undefined-value")
RACE = ("race-nonatomic", "race-same-value")


def array_of(kernel, size):
    of = kernel.whole_type()
    return of, f"{of} z[{size}]; for (uint i = 0; i < {size}u; ++i) z[i] = ({of})(gid + i);"


def private_beyond(kernel, who, x):
    size = kernel.random.randint(1, 9)
    of, made = array_of(kernel, size)
    element = f"z[{who} ? {size}u + (gid >> 2) % 9u : gid % {size}u]"
    use = f"{element} = ({of})3; {x} += (uint)z[0];" if kernel.chance(0.5) else f"{x} ^= (uint)({element} != z[0]);"
    return f"{{ {made} if ({who}) {REACH} {use} }}"


def private_before(kernel, who, x):
    of, made = array_of(kernel, 6)
    use = kernel.pick(f"if ({who}) q[-3] = 1;", f"{of} *w = {who} ? z + 6 : z; w[0] = 1;", f"if ({who}) q -= 3; q[0] = 1;",
                      f"q[(long)({who} ? 4 : 3)] = 1;", f"for (uint i = 0; i < ({who} ? 5u : 4u); ++i) *q++ = 1;")
    return f"{{ {made} {of} *q = z + 2; if ({who}) {REACH} {use} {x} += (uint)z[1]; }}"


def member_beyond(kernel, who, x):
    of = kernel.whole_type()
    index = f"z.a[{who} ? {kernel.pick('4u + (lid & 1u)', '5u', '4')} : (lid & 3u)]"
    return (f"{{ struct {{ {of} a[4]; {of} b[2]; {of} c[3]; }} z; for (int i = 0; i < 4; ++i) z.a[i] = ({of})gid; z.b[0] = z.b[1] = 1; "
            f"for (int i = 0; i < 3; ++i) z.c[i] = 2; if ({who}) {REACH} {index} = ({of})3; {x} += (uint)(z.a[1] + z.b[0] + z.c[2]); }}")


def global_beyond(kernel, who, x):
    return f"{{ if ({who}) {REACH} part[{who} ? {16 * kernel.total}u + lid : gid * 16u] = 1u; }}"


def constant_beyond(kernel, who, x):
    return f"{{ if ({who}) {REACH} {x} ^= (uint)(table0[{who} ? 16u + (gid & 3u) : 3u] == 7u); }}"


def null(kernel, who, x):
    return f"{{ global uint *z = part + gid * 16u; if ({who}) {{ {REACH} z = 0; }} *z = 1u; }}"


def scope_ended(kernel, who, x):
    of = kernel.whole_type()
    return (f"{{ {of} *q; {of} w = 5; q = &w; for (uint i = 0; i < 2u; ++i) {{ {of} z[3]; for (int j = 0; j < 3; ++j) z[j] = ({of})(gid + j); "
            f"if ({who}) q = &z[i]; }} if ({who}) {REACH} {x} ^= (uint)(*q == 7); }}")


def uninitialised(kernel, who, x):
    of = kernel.whole_type()
    return (f"{{ {of} z[6]; for (uint i = 0; i < 6u; ++i) if (!({who}) || i != lid % 6u) z[i] = ({of})(gid + i); if ({who}) {REACH} "
            f"if (z[lid % 6u] & ({of})2) {x} += 3u; }}")


def uninitialised_again(kernel, who, x):
    """A variable of a loop's body, in the second round."""
    of = kernel.whole_type()
    return (f"{{ if ({who}) {REACH} for (uint i = 0; i < 2u; ++i) {{ {of} z[5]; if (i == 0u || !({who})) for (int j = 0; j < 5; ++j) z[j] = ({of})(gid + j); "
            f"else z[lid % 3u] = 7; if (z[3u + (lid & 1u)] & ({of})2) {x} += 3u; }} }}")


def uninitialised_copy(kernel, who, x):
    """The last member of a structure that is copied."""
    field, of, size = kernel.fields[-1]
    fields, kernel.fields = kernel.fields, kernel.fields[:-1]
    others = kernel.set_fields("z")
    kernel.fields = fields
    last = (f"for (uint j = 0; j < {size}u; ++j) z.{field}[j] = ({of})1;" if size else f"z.{field} = ({of})1;")
    member = f"w.{field}[lid % {size}u]" if size else f"w.{field}"
    return f"{{ struct Struct z, w; {others} if (!({who})) {last} else {REACH} w = z; if ({member} > ({of})1) {x} += 1u; }}"


def uninitialised_local(kernel, who, x):
    return (f"{{ {BARRIER} if (!({who})) bare[lid] = lid; else {REACH} if (bare[lid] & 1u) {x} += 1u; {BARRIER} }}")


def division(kernel, who, x):
    return f"{{ if ({who}) {REACH} uint d = {who} ? 0u : 3u; {x} ^= (uint)({kernel.pick('7u / d', '7u % d')} == 5u); }}"


def division_overflow(kernel, who, x):
    return f"{{ if ({who}) {REACH} int d = {who} ? -1 : 3; {x} ^= (uint)((int)0x80000000 / d == 5); }}"


def misaligned(kernel, who, x):
    return (f"{{ global uchar *z = (global uchar *)(part + gid * 16u); if ({who}) {{ {REACH} z += {kernel.pick(1, 2, 3)}; }} "
            f"*(global uint *)z = 1u; }}")


def race_local(kernel, who, x):
    n = kernel.group
    reach = REACH if n > 1 else ""
    return f"{{ {BARRIER} {reach} row[lid] = gid; {BARRIER} " + kernel.pick(
        f"row[lid] = 5u; {x} ^= (uint)(row[(lid + 1u) % {n}u] == 7u);", f"if (lid == {n - 1}u) row[0] = 4u; {x} ^= (uint)(row[0] == 7u);",
        f"row[(lid * 2u) % {n}u] = lid; row[lid] = 1u;" if n % 2 else "row[lid >> 1] = lid;") + f" {BARRIER} }}"


def race_member(kernel, who, x):
    n = kernel.group
    return (f"{{ {BARRIER} struct Struct z; {REACH if n > 1 else ''} {kernel.set_fields('z')} lent[lid] = z; "
            f"z = lent[(lid + 1u) % {n}u]; {BARRIER} }}")


def race_global(kernel, who, x):
    return f"{{ {REACH if kernel.total > 1 else ''} cells[64u + (gid >> 1)] = gid; }}"


def race_mixed(kernel, who, x):
    n = kernel.group
    reach = REACH if n > 1 else ""
    return f"{{ {BARRIER} row[lid] = 0u; {BARRIER} {reach} " + kernel.pick(
        f"atomic_add(&row[{n - 1}], 1u); if (lid == 0u) {x} ^= (uint)(row[{n - 1}] == 7u);", f"if (lid == {n - 1}u) row[0] = 3u; atomic_inc(&row[0]);",
        f"atomic_max(&row[lid % {max(1, n // 2)}u], lid); row[{n}u - 1u - lid] = 1u;") + f" {BARRIER} }}"


def race_copy(kernel, who, x):
    wait, tile = "wait_group_events(1, &e);", "((local uint *)tile)"
    return (f"{{ barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); {REACH} event_t e = async_work_group_strided_copy({tile}, in, 30, 2, 0); "
            + kernel.pick(f"{x} ^= (uint)({tile}[gid % 30u] == 7u); {wait}", f"{tile}[lid % 30u] = 1u; {wait}",
                          f"if (lid == 0u) {tile}[29] = 1u; {wait}",
                          f"event_t f = async_work_group_copy({tile} + 29, in, 4, 0); {wait} wait_group_events(1, &f);")
            + f" {BARRIER} }}")


def unwaited(kernel, who, x):
    return f"{{ {BARRIER} {REACH} event_t e = async_work_group_copy((local uint *)tile + 100, in, 8, 0); {BARRIER} }}"


def divergent(kernel, who, x):
    return f"{{ {REACH} if (lid + 1u != {kernel.group}u) {BARRIER} }}" if kernel.group > 1 else f"{{ {BARRIER} }}"


PLANTS = {
    "private-beyond": Plant(INSIDE, private_beyond, ("none",)),
    "private-before": Plant(INSIDE, private_before, ("none",)),
    "member-beyond": Plant(INSIDE, member_beyond, ("pointers",)),
    "global-beyond": Plant(OUTSIDE + ("pointer-arithmetic",), global_beyond, ("none",)),
    "constant-beyond": Plant(INSIDE, constant_beyond, ("none",)),
    "null": Plant(("memory-null",), null, ("none",)),
    "scope-ended": Plant(("memory-lifetime-ended",), scope_ended, ("none",)),
    "uninitialised": Plant(UNDEFINED, uninitialised, ("definedness",)),
    "uninitialised-again": Plant(UNDEFINED, uninitialised_again, ("definedness",)),
    "uninitialised-copy": Plant(UNDEFINED, uninitialised_copy, ("definedness",)),
    "uninitialised-local": Plant(UNDEFINED, uninitialised_local, ("definedness",), is_uniform=True),
    "division": Plant(("arithmetic-division-by-zero",), division, ("arithmetic",)),
    "division-overflow": Plant(("arithmetic-division-overflow",), division_overflow, ("arithmetic",)),
    "misaligned": Plant(("alignment-access",), misaligned, ("alignment",)),
    "race-local": Plant(RACE, race_local, ("races",), is_uniform=True),
    "race-member": Plant(RACE, race_member, ("races",), is_uniform=True),
    "race-global": Plant((*RACE, "race-other-group"), race_global, ("races",), is_uniform=True),
    "race-mixed": Plant((*RACE, "race-mixed-atomic"), race_mixed, ("races",), is_uniform=True),
    "race-copy": Plant((*RACE, "race-async-copy"), race_copy, ("races",), is_uniform=True),
    "unwaited": Plant(("async-unwaited",), unwaited, ("groups",), is_uniform=True),
    "divergent": Plant(("barrier-divergence", "barrier-deadlock"), divergent, ("none", "groups"), is_uniform=True),
}


class Plants:
    def begin_plant(self):
        self.is_planted = self.plant is None
        if self.plant is not None and PLANTS[self.plant].is_uniform:
            self.has_barriers = True

    def whole_type(self):
        """An integer type of this kernel."""
        return self.random.choice([of for of in self.types if of not in self.real_types])

    def plant_memory(self):
        """Local memory, which has to be declared in the outermost scope."""
        made = {"uninitialised-local": f"local uint bare[{self.group}];", "race-member": f"local struct Struct lent[{self.group}];"}
        return [made[self.plant]] if self.plant in made else []

    def plant_here(self, depth):
        """The plant's lines, now and then; nothing inside of functions, or for groups where not all come."""
        if self.is_planted or self.in_function or not self.chance(0.15):
            return []
        return self.plant_now() if self.is_uniform or not PLANTS[self.plant].is_uniform else []

    def plant_at_last(self):
        return [] if self.is_planted else self.plant_now()

    def plant_now(self):
        self.is_planted = True
        period, place = self.pick((4, 1), (7, 2), (3, 0), (16, 5), (1, 0), (64, 63))
        text = PLANTS[self.plant].make(self, f"gid % {period}u == {place}u", self.variable())
        return [f"{text}  // planted: {self.plant}"]
