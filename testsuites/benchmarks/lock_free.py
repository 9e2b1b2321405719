"""Lock-free and sub-group workloads: `JOBS[name]` is (driver beside it or None, size, small size, the function that makes the job)."""
from kernels_of_others import fresh, job, number, random


def ticket_lock(n):
    return job("ticket_lock", [n], [16], {"in": random("uint", n, 31), "lock": fresh("uint", 2),
                                          "out": fresh("uint", 16)}, ["in", "lock", "out"], "lock_free")


def look_back_scan(n):
    return job("look_back_scan", [n // 4], [256],
               {"in": random("uint4", n // 4, 32), "ticket": fresh("uint", 1), "state": fresh("uint", n // 1024),
                "sums": fresh("uint", n // 1024), "prefixes": fresh("uint", n // 1024),
                "out": fresh("uint4", n // 4)}, ["in", "ticket", "state", "sums", "prefixes", "out"], "lock_free")


def last_block(n):
    return job("last_block", [n // 4], [256],
               {"in": random("uint4", n // 4, 33), "sums": fresh("uint", n // 1024), "done": fresh("uint", 1),
                "out": fresh("uint", 1)}, ["in", "sums", "done", "out"], "lock_free")


def work_queue(n):
    tasks = n // 64
    return job("work_queue", [512], [64],
               {"ends": fresh("uint", 2), "ready": fresh("uint", tasks), "queue": fresh("uint", tasks),
                "in": random("uint", n, 34), "out": fresh("uint", n)},
               [number("uint", tasks), "ends", "ready", "queue", "in", "out"], "lock_free")


def treiber_stack(n):
    return job("treiber_stack", [n], [64],
               {"head": fresh("ulong", 1), "next": fresh("uint", n + 1), "value": fresh("uint", n + 1),
                "out": fresh("uint", 1)}, ["head", "next", "value", "out"], "lock_free")


def mpmc_ring(n):
    return job("mpmc_ring", [n], [64],
               {"in": random("uint", n, 35), "ends": fresh("uint", 2), "turn": fresh("uint", 1024),
                "data": fresh("uint", 1024), "out": fresh("uint", 1)},
               ["in", "ends", "turn", "data", "out"], "lock_free")


def hash_table(n):
    return job("hash_table", [n], [64],
               {"in": random("uint", n, 36, 0, n // 2 - 1), "keys": fresh("uint", n), "values": fresh("uint", n),
                "out": fresh("uint", n)}, ["in", number("uint", n), "keys", "values", "out"], "lock_free")


def union_find(n):
    work = job("union_find", [n], [64],
               {"edges": random("uint2", n, 37, 0, n - 1), "parent": fresh("uint", n), "out": fresh("uint", n)},
               ["edges", "parent"], "lock_free")
    work["launches"].append({"kernel": "union_find_labels", "args": [{"buffer": "parent"}, {"buffer": "out"}]})
    return work


def among_items(*arguments):
    """Of work-items that wait for each other."""
    return job(*arguments, "lock_free_items") | {"forward_progress": "work-item"}


def sense_barrier(n):
    return among_items("sense_barrier", [n], [16], {"in": random("uint", n, 38), "out": fresh("uint", n)},
                       ["in", "out"])


def ping_pong(n):
    return among_items("ping_pong", [n * 2], [2],
                       {"in": random("uint", n, 39), "turn": fresh("uint", n), "out": fresh("uint", n)},
                       ["in", "turn", "out"])


def in_subgroups(name, kind, count, items, out, more=()):
    buffers = {"in": random(kind, count, 40)} | {key: fresh("uint", size) for key, size in more} | {"out": out}
    work = job(name, [items], [256], buffers, list(buffers), "lock_free_subgroups")
    return work | {"build_options": "-cl-std=CL3.0"}


def subgroup_scan(n):
    return in_subgroups("subgroup_scan", "uint4", n // 4, n // 4, fresh("uint4", n // 4))


def subgroup_transpose(n):
    return in_subgroups("subgroup_transpose", "uint", n, n // 16, fresh("uint", n))


def subgroup_append(n):
    return in_subgroups("subgroup_append", "uint", n, n, fresh("uint", n), [("count", 1), ("kept", n)])


def subgroup_tree(n):
    return in_subgroups("subgroup_tree", "uint", n, n, fresh("uint", n // 16))


JOBS = {
    "ticket_lock": ("PoCL", 1 << 19, 1 << 12, ticket_lock),
    "look_back_scan": ("PoCL", 1 << 22, 1 << 14, look_back_scan),
    "last_block": ("PoCL", 1 << 22, 1 << 14, last_block),
    "work_queue": ("PoCL", 1 << 20, 1 << 14, work_queue),
    "treiber_stack": ("PoCL", 1 << 17, 1 << 12, treiber_stack),
    "mpmc_ring": ("PoCL", 1 << 17, 1 << 12, mpmc_ring),
    "hash_table": ("PoCL", 1 << 18, 1 << 12, hash_table),
    "union_find": ("PoCL", 1 << 18, 1 << 12, union_find),
    "sense_barrier": (None, 1 << 16, 1 << 10, sense_barrier),
    "ping_pong": (None, 1 << 12, 1 << 8, ping_pong),
    "subgroup_scan": ("Intel", 1 << 24, 1 << 16, subgroup_scan),
    "subgroup_transpose": ("Intel", 1 << 22, 1 << 16, subgroup_transpose),
    "subgroup_append": ("Intel", 1 << 20, 1 << 16, subgroup_append),
    "subgroup_tree": ("Intel", 1 << 20, 1 << 16, subgroup_tree),
}
