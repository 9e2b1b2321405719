#!/usr/bin/env python3
"""Writes a random kernel that may do what it must not: FOLDER/x.cl, and the arguments of `assay run` in FOLDER/x.args.

    testsuites/repeatable/generate.py --seed 17 FOLDER

What two executions could disagree about is what these kernels are made of: memory that work-items share, everything
that they wait for, and a few mistakes (Mistakes, below), often in some groups only.  What such a kernel computes need
not be defined; what assay says of it is.
"""
import argparse
import json
import pathlib
import random
import re

ORDERS = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"]
SCOPES = ["work_item", "work_group", "device", "all_svm_devices"]
SHAPES = [(12, 3), (8, 1), (16, 8), (6, 2), (33, 11), (128, 64), (130, 65), (48, 16), (21, 7), (40, 9), (256, 64)]

PRELUDE = """\
constant int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
global int counter = 5;
typedef struct { int number; char letter; short small; float real; int4 four; } Thing;
int pick(int* from, int i) {
  if (i < 0) return -i;
  return from[i & 3];
}
int twice(Thing* thing, int by) {
  thing->number += by;
  if (by & 1) { thing->letter = (char)by; return thing->number; }
  for (int t = 0; t < 2; ++t) thing->four.y ^= by + t;
  return thing->four.y;
}
Thing make(int a) {
  Thing made = {a, 'x', (short)(a & 99), 1.5f * (a & 15), (int4)(a, 2, 3, 4)};
  return made;
}
"""


class Kernel:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.total, self.size = self.random.choice(SHAPES)
        self.groups = -(-self.total // self.size)
        self.depth = 0
        self.names = 0
        # Atomics whose results are used make groups wait for each other's turn: no threads then.
        self.ordered = self.random.random() < 0.3
        # Where one mistake is all there is, it shows, or not, by itself.
        self.sparse = self.random.random() < 0.5
        self.mistakes_left = 1 if self.sparse else self.random.choice([0, 1, 2, 4])
        # Bytes among words are watched byte by byte.
        self.narrow = self.random.random() < 0.4
        self.lines = []

    def pick(self, *choices):
        return self.random.choice(choices)

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    # --- expressions ---------------------------------------------------------------------------

    def value(self, depth=0):
        if depth > 2 or self.random.random() < 0.35:
            return self.pick("x", "y", "gid", "lid", "grp", "n", str(self.random.randrange(9)), "thing.number",
                             "(int)v.z", "own[gid]", "table[x & 7]", "constants[(x ^ lid) & 7]",
                             f"input[(gid + {self.random.randrange(99)}) % {self.total}]", "array[y & 3]",
                             "either[x & 3]")
        a, b = self.value(depth + 1), self.value(depth + 1)
        return self.pick(f"({a} ^ {b})", f"(int)((uint){a} + (uint){b})", f"(int)((uint){a} * 31u + (uint){b})",
                         f"({a} < {b} ? {b} : {a})", f"({a} & {b})", f"pick(array, {a})", f"twice(&thing, {a})",
                         f"(int)rotate((uint){a}, (uint){b})", f"(int)(convert_float({a}) * 0.5f)",
                         f"make({a} & 255).four.x", f"dot4((int4)({a}, {b}, 1, 2))", f"max({a}, {b})")

    def who(self):
        """Which work-items do it."""
        k = self.random.randrange
        return self.pick("lid == 0", f"grp == {k(self.groups)}", f"gid == {k(self.total)}", f"lid < {k(self.size) + 1}",
                         f"(gid & {k(4)}) == 0", f"lid == {k(self.size)}", f"(grp & 1) == {k(2)}", "own[gid] > 3",
                         f"grp == {k(self.groups)} && lid == {k(self.size)}", f"grp == {self.groups - 1}")

    def order(self, kinds=ORDERS):
        return f"memory_order_{self.pick(*kinds)}"

    def scope(self, narrow=False):
        return f"memory_scope_{self.pick(*SCOPES[:2] if narrow else SCOPES[2:])}"

    # --- statements ----------------------------------------------------------------------------

    def say(self, text):
        self.lines.append("  " * (self.depth + 1) + text)

    def block(self, head, body):
        self.say(head + " {")
        self.depth += 1
        body()
        self.depth -= 1
        self.say("}")

    def statement(self, uniform):
        """`uniform`: all work-items of the group come here together."""
        kinds = [self.assign, self.assign, self.assign, self.atomic, self.atomic, self.vector, self.branch, self.loop,
                 self.fence, self.message, self.busy]
        if uniform:
            kinds += [self.exchange, self.exchange, self.collective, self.copy, self.rounds, self.barrier]
        if self.random.random() < 0.15:
            kinds += [self.printing]
        if self.ordered:
            kinds += [self.claim, self.claim]
            if self.random.random() < 0.03:
                kinds = [self.wait]
        if self.mistakes_left > 0 and self.random.random() < 0.4:
            self.mistakes_left -= 1
            return self.mistake(uniform)
        return self.random.choice(kinds)()

    def statements(self, count, uniform):
        for _ in range(count):
            self.statement(uniform)

    def assign(self):
        self.say(self.pick(f"x = {self.value()};", f"y ^= {self.value()};", f"own[gid] = {self.value()};",
                           f"own[gid] += {self.value()} & 7;", f"array[x & 3] = {self.value()};",
                           f"thing = make({self.value()} & 63);", f"thing.real += {self.value()} & 7;",
                           f"thing.four.s{self.random.randrange(4)} = {self.value()};",
                           f"bytes[gid] = (uchar)({self.value()});" if self.narrow else "*(global int4*)(quads + 4 * gid) += x;", f"either[y & 3] = {self.value()};"))

    def vector(self):
        self.say(self.pick("v = v.wzyx + x;", f"v = (uint4)(x, y, {self.value()}, 7);", "v ^= (uint)gid;",
                           "v.xy = v.zw * 3u;", f"v = vload4(gid & 1, (global uint*)input);", "x ^= (int)(v.x + v.w);",
                           "v = convert_uint4(convert_float4(v & 0xffffu));", "x += any((int4)(x, y, -1, 0)) ? 1 : 2;"))

    def branch(self):
        self.block(f"if ({self.pick(self.who(), self.value() + ' & 1')})", lambda: self.statements(
            self.random.randrange(1, 3), False))
        if self.random.random() < 0.4:
            self.block("else", lambda: self.statements(1, False))

    def loop(self):
        if self.depth > 2:
            return self.assign()
        i = self.name("i")
        times = self.pick("3", "(gid & 3)", "(x & 3)", "2 + (lid & 1)")
        def body():
            self.statements(self.random.randrange(1, 3), False)
            if self.random.random() < 0.4:
                self.say(f"if ((x ^ {i}) & 1) {self.pick('continue', 'break')};")
        self.block(f"for (int {i} = 0; {i} < {times}; ++{i})", body)

    def rounds(self):
        """A loop that the group makes together."""
        if self.depth > 1:
            return self.exchange()
        i = self.name("r")
        self.block(f"for (int {i} = 0; {i} < {self.pick(2, 3)}; ++{i})", lambda: self.statements(
            self.random.randrange(1, 3), True))

    def busy(self):
        i = self.name("b")
        self.say(f"for (int {i} = 0; {i} < {self.pick(3, 20, 60)}; ++{i}) y = (int)((uint)y * 1103515245u + {i});")

    def barrier(self):
        flags = self.pick("CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE")
        self.say(f"barrier({flags});")

    def exchange(self):
        k = self.random.randrange(self.size)
        self.say("barrier(CLK_LOCAL_MEM_FENCE);")
        self.say(f"scratch[lid] = {self.value()};")
        self.say("barrier(CLK_LOCAL_MEM_FENCE);")
        self.say(f"x ^= scratch[(lid + {k}) % size];")
        self.say("barrier(CLK_LOCAL_MEM_FENCE);")

    def collective(self):
        name = self.pick("reduce_add", "reduce_max", "scan_inclusive_add", "scan_exclusive_min")
        self.say(self.pick(f"x = work_group_{name}(x);", "y += work_group_all(x > 3);", "y += work_group_any(y == 7);",
                           f"x += work_group_broadcast(y, (size_t){self.random.randrange(self.size)});"))

    def copy(self, wait=True):
        e = self.name("e")
        count = self.random.randrange(1, self.size + 1)
        if self.random.random() < 0.5:
            self.say("barrier(CLK_LOCAL_MEM_FENCE);")
            self.say(f"event_t {e} = async_work_group_copy(scratch, input + {self.random.randrange(4)}, "
                     f"(size_t){count}, (event_t)0);")
        else:
            self.say("scratch[lid] = x;")
            self.say("barrier(CLK_LOCAL_MEM_FENCE);")
            self.say(f"event_t {e} = async_work_group_copy(copied + grp * {self.size}, scratch, (size_t)(size), "
                     f"(event_t)0);")
        if wait:
            self.say(f"wait_group_events(1, &{e});")
            self.say("x += scratch[0];")
            self.say("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);")

    def atomic(self, target=None, narrow=False):
        where = target or self.pick(f"&shared[{self.random.randrange(4)}]", "&shared[grp & 3]",
                                    f"&mine[{self.random.randrange(4)}]", "&mine[lid & 3]", "&shared[4 + (gid & 3)]")
        scope = self.scope(narrow or ("mine" in where and self.random.random() < 0.7))
        if "mine" in where and scope == "memory_scope_work_item":
            scope = "memory_scope_work_group"
        operation = self.pick("add", "xor", "max", "or")
        call = f"atomic_fetch_{operation}_explicit({where}, (uint)({self.value()}), {self.order()}, {scope})"
        if not self.ordered:
            return self.say(call + ";")
        expected = self.name("w")
        self.say(self.pick(
            call + ";", f"x ^= (int){call};", f"y += (int)atomic_load_explicit({where}, "
            f"{self.order(['relaxed', 'acquire', 'seq_cst'])}, {scope});",
            f"atomic_store_explicit({where}, (uint)x, {self.order(['relaxed', 'release', 'seq_cst'])}, {scope});",
            f"{{ uint {expected} = 3; if (atomic_compare_exchange_strong_explicit({where}, &{expected}, (uint)gid, "
            f"{self.order()}, memory_order_relaxed, {scope})) x += 2; }}",
            f"y ^= (int)atomic_exchange_explicit({where}, 9u, {self.order()}, {scope});"))

    def fence(self):
        flags = self.pick("CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE")
        self.say(f"atomic_work_item_fence({flags}, {self.order(ORDERS[1:])}, {self.scope(self.random.random() < 0.3)});")

    def message(self):
        """Who sees the flag reads what was written before it."""
        if not self.ordered:
            return self.assign()
        f = self.random.randrange(4)
        release, acquire = self.pick(("release", "acquire"), ("seq_cst", "seq_cst"), ("release", "acquire"),
                                     ("relaxed", "acquire"), ("release", "relaxed"))
        scope = self.scope(self.random.random() < 0.2)
        self.block(f"if ({self.pick('gid == 0', self.who())})", lambda: (
            self.say(f"{self.pick(f'message[{f}]', f'message[{f} + (gid & 3)]')} = x;"),
            self.say(f"atomic_store_explicit(&flags[{f}], 1u, memory_order_{release}, {scope});")))
        self.block(f"if (atomic_load_explicit(&flags[{f}], memory_order_{acquire}, {scope}) != 0)", lambda:
                   self.say(f"{self.pick('y ^=', 'x +=', 'own[gid] =')} message[{f}];"))

    def claim(self):
        """Who has read a cell releases; who acquires may write to it."""
        f, k = self.random.randrange(4), self.random.randrange
        scope = self.scope(self.random.random() < 0.1)
        first, second = self.who(), self.who()
        self.say(f"if ({self.who()}) x ^= message[{f}];")
        self.say(f"if ({first}) {{ y += message[{f}]; atomic_fetch_add_explicit(&flags[{f}], 1u, memory_order_acq_rel, "
                 f"{scope}); }}")
        self.say(f"if (({second}) && atomic_load_explicit(&flags[{f}], memory_order_acquire, {scope}) >= {k(4)}u) "
                 f"message[{f}] = x;")

    def wait(self):
        """For another work-item, which may be of a group that has not begun."""
        f = self.random.randrange(4)
        self.say(f"if ({self.who()}) atomic_store_explicit(&flags[{f}], 2u, memory_order_release, "
                 "memory_scope_device);")
        self.say(f"if ({self.who()}) while (atomic_load_explicit(&flags[{f}], memory_order_acquire, "
                 "memory_scope_device) != 2u);")

    def printing(self):
        self.say(self.pick('printf("PRINTED %d %u\\n", x, v.x);', 'if (lid == 0) printf("PRINTED %d: %v4u\\n", grp, v);',
                           'if (y & 1) printf("PRINTED %s %c %5.2f\\n", "text", (char)(65 + (x & 15)), thing.real);'))

    # --- mistakes ------------------------------------------------------------------------------

    def mistake(self, uniform):
        k = self.random.randrange
        any_cell = self.pick(f"own[{k(self.total)}]", f"own[(gid + {k(self.total) + 1}) % {self.total}]",
                             f"message[{k(8)}]", f"own[gid ^ 1]", f"((global short*)own)[{k(2 * self.total)}]",
                             f"((global char*)shared)[{k(32)}]", f"scratch[{k(self.size)}]", "counter",
                             f"((global int*)shared)[{k(8)}]", f"((volatile global int*)own)[{k(self.total)}]",
                             f"((local short*)mine)[{k(8)}]", "scratch[(lid + 1) % size]",
                             f"bytes[(gid + {k(9)}) % {self.total}]", f"copied[{k(self.total)}]",
                             f"((global int*)input)[{k(self.total)}]", f"quads[{k(4 * self.total)}]")
        if not self.narrow:
            any_cell = any_cell.replace("short*", "int*").replace("char*", "int*").replace("bytes[", "copied[")
            any_cell = re.sub(r"\[(\d+)\]$", lambda found: f"[{int(found.group(1)) % 2}]", any_cell)
        u, e = self.name("u"), self.name("m")
        race = [lambda: self.say(f"{any_cell} = {self.pick('7', self.value())};"),
                lambda: self.say(f"x += {any_cell};"),
                lambda: (self.say(f"x += {any_cell};"), self.say(f"if ({self.who()}) {any_cell} = x;")),
                lambda: self.atomic(narrow=True),
                lambda: self.atomic(f"&shared[{k(4)}]", narrow=True),
                lambda: self.atomic(f"(volatile global atomic_uint*)&own[{k(self.total)}]")]
        wrong = [lambda: self.say(f"own[gid + {self.pick(1, 2, k(self.total))}] = x;"),
                 lambda: self.say(f"x ^= input[gid * {self.pick(1, 2)} + {k(3)}];"),
                 lambda: self.say(f"scratch[lid + {k(9)}] = x;"),
                 lambda: self.say(f"array[(x & 3) + {k(3)}] = y;"),
                 lambda: (self.say(f"int {u};"), self.say(f"if (x & 1) {u} = 3;"), self.say(f"x += {u};")),
                 lambda: (self.say(f"int {u}; {self.pick('x', 'own[gid]')} = {u};"),
                          self.say(f"if ({u} > 3) y = 2;")),
                 lambda: self.say("x ^= scratch[lid]; if (x == 5) y = 1;"),
                 lambda: self.say(f"x = y / (x & {k(4)});"),
                 lambda: self.say(f"x = (y & 0x7fffffff) + 0x7ffffff{k(8)};"),
                 lambda: self.say("x = y << (x & 63);"),
                 lambda: (self.say(f"int* {u};"), self.say(f"{{ int inner = x; {u} = &inner; }}"),
                          self.say(f"y += *{u};")),
                 lambda: self.say('printf("PRINTED %d %f\\n", 1.5f, x);'),
                 lambda: self.say(f"if (x == {k(9)}) readonly[gid] = 1;"),
                 lambda: self.say(f"x += holes[gid] & 1 ? 2 : 3;")]
        diverge = [lambda: self.say(f"if ({self.who()}) {{ x += 1; barrier(CLK_LOCAL_MEM_FENCE); }}"),
                   lambda: self.say(f"if ({self.who()}) return;"),
                   lambda: self.say(f"for (int {e} = 0; {e} < (lid & 1) + 1; ++{e}) barrier(CLK_LOCAL_MEM_FENCE);"),
                   lambda: self.say(f"if ({self.who()}) x += work_group_reduce_add(x);"),
                   lambda: self.say(f"x += work_group_broadcast(y, (size_t)(lid & 1));"),
                   lambda: self.copy(wait=False),
                   lambda: self.say(f"if ({self.who()}) barrier(CLK_LOCAL_MEM_FENCE); "
                                    "else barrier(CLK_GLOBAL_MEM_FENCE);")]
        kinds = self.pick(race, race, wrong, diverge if uniform else race)
        if kinds is not diverge and self.random.random() < 0.6:
            return self.block(f"if ({self.who()})", self.random.choice(kinds))
        return self.random.choice(kinds)()

    def source(self):
        self.statements(self.random.randrange(3) if self.sparse else self.random.randrange(3, 9), True)
        if self.mistakes_left > 0:
            self.mistake(True)
        body = "\n".join(self.lines)
        return f"""{PRELUDE}int dot4(int4 a) {{ return (int)((uint)a.x * 3u + (uint)a.y + (uint)a.z + (uint)a.w); }}

kernel void k(global int* own, const global int* input, volatile global atomic_uint* shared, constant int* constants,
              local int* scratch, int n, global int* message, volatile global atomic_uint* flags, global uchar* bytes,
              global int* copied, global int* readonly, global uint* holes, global int* quads) {{
  local atomic_uint mine[4];
  const int gid = (int)get_global_id(0);
  const int lid = (int)get_local_id(0);
  const int grp = (int)get_group_id(0);
  const int size = (int)get_local_size(0);
  int x = input[gid];
  int y = gid * 7 + n;
  uint4 v = (uint4)(gid, lid, 3u, 4u);
  int array[4] = {{1, 2, 3, n}};
  Thing thing = make(n & 7);
  int* either = (gid & 1) != 0 ? array : (int*)(quads + 4 * gid);
  if (lid < 4) atomic_init(&mine[lid], 0u);
  barrier(CLK_LOCAL_MEM_FENCE);
{body}
  own[gid] ^= x ^ y ^ (int)(v.x + v.y + v.z + v.w) ^ thing.number ^ array[1];
}}
"""

    def parameters(self):
        """Name and value of each, as a job file has them."""
        def buffer(name, kind, count, **more):
            return name, {"type": kind, "count": count, **more}
        random_numbers = {"random": {"seed": self.random.randrange(99), "min": 0, "max": 9}}
        return [buffer("own", "int", self.total, init=random_numbers),
                buffer("input", "int", self.total + 4, init={"range": [0, 3]}),
                buffer("shared", "uint", 8, init={"fill": 0}),
                buffer("constants", "int", 8, init={"data": [5, 4, 3, 2, 1, 0, 7, 6]}),
                ("scratch", {"local": 4 * self.size}), ("n", {"scalar": {"type": "int", "value": 3}}),
                buffer("message", "int", 8, init={"fill": 0}), buffer("flags", "uint", 4, init={"fill": 0}),
                buffer("bytes", "uchar", self.total, init={"fill": 0}),
                buffer("copied", "int", self.groups * self.size, init={"fill": 0}),
                buffer("readonly", "int", self.total, init={"fill": 1}, access="read_only"),
                buffer("holes", "uint", self.total, init=self.pick("uninitialized", {"fill": 3})),
                buffer("quads", "int", 4 * self.total, init={"range": [7, 1]})]

    def job(self, parameters):
        """Two launches on the same buffers."""
        buffers = {name: value for name, value in parameters if "type" in value}
        arguments = [{"buffer": name} if name in buffers else value for name, value in parameters]
        launches = [{"kernel": "k", "global": total, "local": self.size, "args": arguments}
                    for total in (self.total, self.pick(self.total, max(self.size, self.total // 2)))]
        return {"module": "x.cl", "build_options": self.build_options, "buffers": buffers, "launches": launches}

    def command_line(self, parameters):
        words = ["x.cl", "-g", str(self.total), "-l", str(self.size)]
        for _, value in parameters:
            words += ["-a", text_of(value)]
        return words + (["--build-options", self.build_options] if self.build_options else [])

    def write(self, folder):
        """What `assay run` is to be given in the folder."""
        self.path = pathlib.Path(folder) / "x.cl"
        self.path.write_text(self.source())
        self.build_options = self.pick("", "", "-O2")
        parameters = self.parameters()
        self.is_job = self.random.random() < 0.2
        if self.is_job:
            (self.path.parent / "x.json").write_text(json.dumps(self.job(parameters), indent=1) + "\n")
        self.words = ["--job", "x.json"] if self.is_job else self.command_line(parameters)
        (self.path.parent / "x.args").write_text("\n".join(self.words) + "\n")
        return self


def text_of(value):
    """An argument as the command line has it."""
    if "local" in value:
        return f"local({value['local']})"
    if "scalar" in value:
        return f"{value['scalar']['type']}={value['scalar']['value']}"
    init = value["init"]
    (kind, content), = {"uninitialized": None}.items() if init == "uninitialized" else init.items()
    text = {"fill": lambda: str(content), "range": lambda: "range({},{})".format(*content),
            "data": lambda: ",".join(map(str, content)), "uninitialized": lambda: "uninitialized",
            "random": lambda: "random({seed},{min},{max})".format(**content)}[kind]()
    access = value["access"] + " " if "access" in value else ""
    return f"{access}{value['type']}[{value['count']}]={text}"


# The arguments that a kernel may leave something in, by their places.
BUFFERS = {"own": 0, "shared": 2, "message": 6, "flags": 7, "bytes": 8, "copied": 9, "quads": 12}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("folder")
    options = parser.parse_args()
    Kernel(options.seed).write(options.folder)


if __name__ == "__main__":
    main()
