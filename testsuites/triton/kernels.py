"""Kernels in Triton, and their compilation to SPIR-V by Triton for Intel's devices, without a device.

usage: PYTHON kernels.py FOLDER

PYTHON has triton-xpu (PyPI: 3.3.0b1 for CPython 3.12).  FOLDER gets NAME.spv of each kernel for devices without matrix
instructions, and NAME_matrix.spv for those with them; launch.json says how many bytes of local memory each has, and how many
work-items a work-group.  run_kernels.py runs them.
"""
import json
import pathlib
import sys
import types

# Triton asks PyTorch which devices there are: none.
torch = types.ModuleType("torch")
torch.xpu = types.SimpleNamespace(is_available=lambda: False)
torch.version = types.SimpleNamespace(hip=None, cuda=None, xpu=None)
sys.modules.setdefault("torch", torch)

import triton  # noqa: E402
import triton.backends  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402


@triton.jit
def add(x, y, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def add_behind(x, y, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) + tl.load(y + at))


@triton.jit
def softmax(x, out, stride, count, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * stride
    value = tl.load(x + row + at, mask=at < count, other=-float("inf"))
    powers = tl.exp(value - tl.max(value, 0))
    tl.store(out + row + at, powers / tl.sum(powers, 0), mask=at < count)


@triton.jit
def product(a, b, c, rows, columns, inner, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    step = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for first in range(0, inner, BLOCK):
        left = tl.load(a + row[:, None] * inner + (step + first)[None, :])
        right = tl.load(b + (step + first)[:, None] * columns + column[None, :])
        total += tl.dot(left, right)
    tl.store(c + row[:, None] * columns + column[None, :], total)


@triton.jit
def prefix_sums(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.cumsum(tl.load(x + at), 0))


@triton.jit
def largest_at(x, out, BLOCK: tl.constexpr):
    tl.store(out, tl.argmax(tl.load(x + tl.arange(0, BLOCK)), 0))


@triton.jit
def sorted_values(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.sort(tl.load(x + at)))


@triton.jit
def atomic_sums(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + at % 7, tl.load(x + at))


@triton.jit
def locked_count(lock, BLOCK: tl.constexpr):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(lock + 1, tl.load(lock + 1) + 1)
    tl.atomic_xchg(lock, 0)


@triton.jit
def random_numbers(out, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.rand(seed, at))


@triton.jit
def functions(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at)
    tl.store(out + at, tl.sin(v) + tl.exp2(v) + tl.log(v * v + 1) + tl.sqrt(tl.abs(v)) + tl.erf(v) + tl.floor(v))


@triton.jit
def histogram(x, out, BLOCK: tl.constexpr):
    counts = tl.histogram(tl.load(x + tl.arange(0, BLOCK)), 32)
    tl.store(out + tl.arange(0, 32), counts)


@triton.jit
def squares(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) * tl.load(x + at) + 1.0)


@triton.jit
def printed(x, BLOCK: tl.constexpr):
    tl.device_print("value", tl.load(x + tl.arange(0, BLOCK)))


@triton.jit
def transposed(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.load(x + at[:, None] * BLOCK + at[None, :])
    tl.store(out + at[:, None] * BLOCK + at[None, :], tl.trans(value))


@triton.jit
def largest_of_rows(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.max(tl.load(x + at[:, None] * BLOCK + at[None, :]), 1))


F, H, B, I = "*fp32", "*fp16", "*bf16", "*i32"
ADDITION = {"x": F, "y": F, "out": F, "count": "i32"}
SIZES = {"rows": "i32", "columns": "i32", "inner": "i32"}
# Name, kernel, types, block.
KERNELS = [
    ("add", add, ADDITION, 128),
    ("add_half", add, {"x": H, "y": H, "out": H, "count": "i32"}, 128),
    ("add_behind", add_behind, ADDITION, 128),
    ("softmax", softmax, {"x": F, "out": F, "stride": "i32", "count": "i32"}, 128),
    ("product_half", product, {"a": H, "b": H, "c": F, **SIZES}, 16),
    ("product_float", product, {"a": F, "b": F, "c": F, **SIZES}, 32),
    ("prefix_sums", prefix_sums, {"x": I, "out": I}, 128),
    ("largest_at", largest_at, {"x": F, "out": I}, 128),
    ("sorted_values", sorted_values, {"x": I, "out": I}, 64),
    ("atomic_sums", atomic_sums, {"x": F, "out": F}, 128),
    ("locked_count", locked_count, {"lock": I}, 64),
    ("random_numbers", random_numbers, {"out": F, "seed": "i32"}, 128),
    ("functions", functions, {"x": F, "out": F}, 128),
    ("histogram", histogram, {"x": I, "out": I}, 128),
    ("squares_bfloat16", squares, {"x": B, "out": B}, 128),
    ("printed", printed, {"x": I}, 32),
    ("transposed", transposed, {"x": F, "out": F}, 32),
    ("largest_of_rows", largest_of_rows, {"x": F, "out": F}, 32),
]


def target(has_matrices):
    return GPUTarget("xpu", {
        "name": "device", "platform_name": "platform", "vendor": "vendor", "version": "1", "architecture": 0,
        "gpu_eu_count": 8, "gpu_subslice_count": 2, "max_work_group_size": 1024, "max_num_sub_groups": 64,
        "sub_group_sizes": [16, 32], "has_fp64": True, "has_subgroup_matrix_multiply_accumulate": has_matrices,
        "has_subgroup_matrix_multiply_accumulate_tensor_float32": has_matrices,
        "has_subgroup_2d_block_io": has_matrices, "has_bfloat16_conversions": has_matrices}, 32)


class NoDriver:
    """In place of a device's driver."""

    @staticmethod
    def get_current_target():
        return target(False)

    @staticmethod
    def get_active_torch_device():
        return None


def main():
    folder = pathlib.Path(sys.argv[1])
    triton.runtime.driver.set_active(NoDriver())
    # Triton compiles C++ to ask a device for its architecture.
    no_device = types.SimpleNamespace(parse_device_arch=lambda architecture: "")
    for backend in triton.backends.backends.values():
        backend.compiler.__init__.__globals__["compile_module_from_src"] = lambda *words: no_device
    launch = {}
    for suffix, has_matrices in (("", False), ("_matrix", True)):
        for name, kernel, kinds, block in KERNELS:
            source = ASTSource(kernel, {**kinds, "BLOCK": "constexpr"}, constexprs={"BLOCK": block})
            compiled = triton.compile(source, target=target(has_matrices), options={"num_warps": 4})
            (folder / f"{name}{suffix}.spv").write_bytes(compiled.asm["spv"])
            launch[f"{name}{suffix}"] = {"local_bytes": compiled.metadata.shared,
                                         "items": compiled.metadata.num_warps * compiled.metadata.threads_per_warp}
    (folder / "launch.json").write_text(json.dumps(launch))


if __name__ == "__main__":
    main()
