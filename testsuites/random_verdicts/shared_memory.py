"""Statements of random kernels in which work-items meet: barriers, copies, atomics whose order does not matter."""

ATOMICS = ("add", "sub", "or", "and", "xor", "min", "max", "inc")
BOTH = "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"


class SharedMemory:
    """Beside the names of Expressions:

    group        work-items of a group
    atomic_of    for each of the eight columns of `cells`, the one operation that it gets
    """

    def atomic(self, depth):
        """The last value does not depend on the order, and nobody looks at the others."""
        column = self.random.randrange(8)
        operation, a = self.atomic_of[column], self.number(1)
        operand = {"or": f", 1u << ({a} & 31u)", "and": f", ~(1u << ({a} & 31u))", "inc": ""}.get(operation, f", {a}")
        call = f"atomic_{operation}(&cells[{column}u + 8u * ({self.number(1)} & 7u)]{operand});"
        return [f"if ({self.condition(1)}) {call}" if self.chance(0.3) else call]

    def exchange(self, depth):
        """Values handed around in local memory, by stores or by atomics."""
        barrier, x, group = "barrier(CLK_LOCAL_MEM_FENCE);", self.variable(), self.group
        if self.has_atomics and self.chance(0.25):
            return [f"{barrier} row[lid] = lid; {barrier} {self.pick('atomic_add', 'atomic_xor', 'atomic_max')}"
                    f"(&row[{self.number(1)} % {group}u], {self.number(1)}); {barrier} {x} ^= row[{self.index(group)}]; {barrier}"]
        other = self.pick(f"(lid + {self.random.randrange(9)}u) % {group}u", f"{group - 1}u - lid", self.index(group))
        return [f"{barrier} row[lid] = {self.number(2)}; {barrier} {x} += row[{other}]; {barrier}"]

    def collective(self, depth):
        x = self.variable()
        if self.chance(0.3):
            return [f"{x} += (uint)work_group_{self.pick('any', 'all')}((int)({self.condition(1)}));"]
        function = self.pick("reduce_add", "reduce_max", "reduce_min", "scan_inclusive_add", "scan_exclusive_min")
        return [f"{x} ^= work_group_{function}({self.number(1)});"]

    def asynchronous(self, depth):
        """A copy to local memory, and perhaps one back to the group's own part of `copied`."""
        of, size = self.pick(("uint", 4), ("uint4", 16), ("uchar", 1), ("ushort2", 4))
        count, first, event, x = self.random.randint(1, 12 if size == 16 else 40), self.random.randrange(4), self.name("e"), self.variable()
        to = f"(local {of} *)tile + {first}, (global const {of} *)in + {self.random.randrange(5)}, {count}"
        copy = self.pick(f"async_work_group_copy({to}, 0)", f"async_work_group_strided_copy({to}, {self.pick(1, 2, 3, 5)}, 0)")
        text = f"barrier({BOTH}); {{ event_t {event} = {copy}; "
        if self.chance(0.3):
            text += f"{self.variable()} += {self.number(1)}; "
        text += f"wait_group_events(1, &{event}); barrier(CLK_LOCAL_MEM_FENCE); "
        text += f"{x} += (uint)((local uchar *)tile)[{first * size}u + {self.number(1)} % {count * size}u]; "
        if self.chance(0.5):
            back, most = self.name("e"), min(count, 16)
            if size < 4:
                line = f"async_work_group_copy((global uchar *)(copied + get_group_id(0) * 64), (local const uchar *)tile + {first}, {most}, 0)"
            else:
                line = (f"async_work_group_strided_copy(copied + get_group_id(0) * 64 + {self.random.randrange(4)}, "
                        f"(local const uint *)tile + {first * size // 4}, {most}, {self.pick(1, 2, 3)}, 0)")
            text += f"barrier(CLK_LOCAL_MEM_FENCE); event_t {back} = {line}; wait_group_events(1, &{back}); "
        return [f"{text}barrier({BOTH}); }}"]
