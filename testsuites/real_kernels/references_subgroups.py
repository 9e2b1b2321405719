"""The same for kernels with sub-groups."""
import itertools

from references import reference


@reference
def subgroup_scan(b, _):
    sums = [0, *itertools.accumulate(b["in"])]
    totals = [sums[i] for i in range(0, len(b["in"]), 36)]
    return {"out": sums[:-1], "totals": totals}


@reference
def ballot_compaction(b, scalars):
    kept = [x for x in b["in"] if x > scalars[1]]
    return {"out": kept + [0] * (len(b["in"]) - len(kept)), "taken": [len(kept)], "sum": [sum(kept)]}


@reference
def subgroup_gemm(b, _):
    m, n, k = 40, 48, 32
    c = []
    for row in range(m):
        for column in range(n):
            # Whole numbers below 2^24, which a float has exactly.
            c.append(float(sum(b["a"][row * k + i] * b["b"][i * n + column] for i in range(k))))
    return {"c": c, "rows": [max(c[row * n : row * n + n]) for row in range(m)]}
