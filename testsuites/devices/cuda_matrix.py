#!/usr/bin/env python3
"""The matrix instructions of an NVIDIA GPU as a device for `assay matrix probe --pipe` (docs/pipe-protocol.md).

    python3 cuda_matrix.py compile --nvrtc libnvrtc.so.12 --output matrix.cubin
    assay matrix probe --pipe 'python3 cuda_matrix.py serve --unit mma matrix.cubin' --output h200-mma.json

The first command compiles the kernels by NVRTC, CUDA's run-time compiler. It needs no GPU. The second one needs NVIDIA's driver
(libcuda.so.1), and neither CUDA's libraries nor its headers. So the two may run on different machines.

--unit mma: the instructions of a warp, mma.sync. --unit wgmma: those of four warps, wgmma.mma_async, which Hopper has (sm_90a).
"""
import argparse
import ctypes
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cuda_math  # noqa: E402: NVRTC, the driver
import matrix_device  # noqa: E402: the protocol
import recorded_matrix  # noqa: E402

# input: PTX's name, k of an instruction, elements in a register.
INPUTS = {"f16": ("f16", 16, 2), "bf16": ("bf16", 16, 2), "tf32": ("tf32", 8, 1), "e4m3": ("e4m3", 32, 4),
          "e5m2": ("e5m2", 32, 4), "s8": ("s8", 32, 4)}
PAIRS = ("f16-f32 f16-f16 bf16-f32 tf32-f32 e4m3-f32 e4m3-f16 e5m2-f32 e5m2-f16 s8-s32").split()
ROWS = {"mma": 16, "wgmma": 64}

# Random operands: the same numbers as random_tile in matrix_device.py.
COMMON = r"""
typedef unsigned int u32;
typedef unsigned long long u64;
constexpr u64 kStep = 0x9e3779b97f4a7c15ull;

__device__ u64 Mixed(u64 x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}
__device__ int Clamped(int x, int low, int high) { return x < low ? low : x > high ? high : x; }

struct Format { int exponent_bits, mantissa_bits, bias, padding; };

template <int kExponent, int kMantissa, int kBias, int kPadding>
struct Elements {
  u64 tile;
  int matrix, base, span;
  static constexpr int kFields = (1 << kExponent) - 1;

  __device__ u64 Word(u32 place) const { return Mixed(tile + kStep * (4ull * place + matrix + 1)); }
  __device__ u32 Encoding(u64 mantissa, u64 field, u64 sign) const {
    u64 bits = (field & kFields) << kMantissa | (mantissa & ((1ull << kMantissa) - 1));
    return (u32)((bits | (u64)(sign != 0) << (kExponent + kMantissa)) << kPadding);
  }
  __device__ u32 At(u32 place) const {
    const u64 word = Word(place);
    if (kExponent == 0) return (u32)(word >> 16 & ((1ull << kMantissa) - 1));
    if ((tile & 15) == 0) {
      return Encoding(word >> 16, word >> (16 + kMantissa), word >> (16 + kMantissa + kExponent) & 1);
    }
    if ((tile & 15) == 1) return Special(word);
    const int kind = tile >> 8 & 3;
    if ((int)(word >> 52 & 15) < (kind < 2 ? 0 : kind == 2 ? 4 : 12)) return Encoding(0, 0, Sign(word));
    const int field = Clamped(base + (int)((word >> 32 & 0xff) % (u32)span), 0, kFields - 1);
    const u64 other = Mixed(word);
    return Encoding((tile >> 6 & 3) == 0 ? word & other & (other >> 24) : word, field, Sign(word));
  }
  __device__ u64 Sign(u64 word) const {
    const int kind = tile >> 44 & 7;
    return kind > 1 ? word >> 63 : kind == 1 && matrix != 1;
  }
  __device__ u32 Zero(u32 place) const { return Encoding(0, 0, Sign(Word(place))); }
  __device__ u32 Special(u64 word) const {
    const int which = word >> 40 & 63;
    const u64 field = which == 0 ? kFields : which < 8 ? kFields - 1 : which < 24 ? 0 : which < 32 ? 1
                      : which < 48 ? kBias : kBias - 1 + (word >> 48 & 3);
    const int mantissa = word >> 46 & 3;
    return Encoding(mantissa == 0 ? 0 : mantissa == 1 ? 1 : mantissa == 2 ? ~0ull : word, field, word >> 63);
  }
  __device__ u32 Opposite(u32 of, u32 place) const {
    const u32 last = (Word(place) >> 60 & 3) == 0;
    return At(of) ^ (1u << (kExponent + kMantissa) | last) << kPadding;
  }
};

// One tile: its elements from memory, or random.
template <typename In, typename Acc, int kM, int kN, int kK, int kBiasIn, int kBiasAcc>
struct Tile {
  const u32 *a, *b, *c;  // null: random
  In of_a, of_b;
  Acc of_c;
  bool cancels, c_is_zero;

  __device__ Tile(const u32* all_a, const u32* all_b, const u32* all_c, u64 seed, u64 tile, u64 place) {
    a = all_a ? all_a + place * (kM * kK) : 0;
    b = all_b ? all_b + place * (kK * kN) : 0;
    c = all_c ? all_c + place * (kM * kN) : 0;
    const u64 t = Mixed(Mixed(seed) + tile);
    int base_a = 0, base_b = 0, base_c = 0;
    cancels = c_is_zero = false;
    if (In::kFields > 0) {
      const int fields = In::kFields > 0 ? In::kFields : 1;
      base_a = (int)(t >> 16 & 0xff) % fields;
      base_b = (int)(t >> 24 & 0xff) % fields;
      const int where = t >> 32 & 3, offset = t >> 24 & 63;
      const int product = where == 1 ? 17 - kBiasAcc - offset : offset - 32;
      if (where) base_b = Clamped(2 * kBiasIn - base_a + product, 0, fields - 1);
      base_c = base_a + base_b - 2 * kBiasIn + kBiasAcc + (int)(t >> 34 & 63) - 40;
      if ((t & 15) > 1) {
        cancels = (t >> 4 & 3) == 0;
        c_is_zero = (t >> 42 & 3) == 0;
      }
    }
    of_a.tile = of_b.tile = of_c.tile = t;
    of_a.matrix = 0; of_b.matrix = 1; of_c.matrix = 2;
    of_a.base = base_a; of_b.base = base_b; of_c.base = base_c;
    of_a.span = 1 << (t >> 10 & 7); of_b.span = 1 << (t >> 13 & 7); of_c.span = 1 << (t >> 40 & 3);
  }
  __device__ u32 A(int row, int k) const {
    const u32 place = row * kK + k;
    if (a) return a[place];
    return cancels && k % 2 ? of_a.Opposite(place - 1, place) : of_a.At(place);
  }
  __device__ u32 B(int k, int column) const {
    const u32 place = k * kN + column;
    if (b) return b[place];
    return of_b.At(cancels && k % 2 ? place - kN : place);
  }
  __device__ u32 C(int row, int column) const {
    const u32 place = row * kN + column;
    if (c) return c[place];
    return c_is_zero ? of_c.Zero(place) : of_c.At(place);
  }
};
"""

# A warp computes 16 rows of a tile; with wgmma, four warps one tile, b in shared memory as two matrices of 8 x 16 bytes.
KERNEL = r"""
extern "C" __global__ void __launch_bounds__(128) @NAME@(
    u64 seed, u64 first, u64 count, const u32* all_a, const u32* all_b, const u32* all_c, u32* d, u64* digests, u64 block) {
  using In = Elements<@IN@>;
  using Acc = Elements<@ACC@>;
  constexpr int kK = @K@, kPer = @PER@, kBits = 32 / kPer, kM = @M@, kRegisters = @REGISTERS@;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int group = lane / 4, within = lane % 4;
  const bool is_wide = kM == 64;
  const u64 workers = is_wide ? gridDim.x : (u64)gridDim.x * (blockDim.x / 32);
  const u64 worker = is_wide ? blockIdx.x : (u64)blockIdx.x * (blockDim.x / 32) + warp;
  const int row0 = is_wide ? warp * 16 : 0;
  __shared__ __align__(1024) u32 shared_b[64];
  for (u64 place = worker; place < count; place += workers) {
    const Tile<In, Acc, kM, 8, kK, @BIASES@> tile(all_a, all_b, all_c, seed, first + place, place);
    u32 ra[4], rb[2], rd[4];
    for (int r = 0; r < 4; ++r) {
      ra[r] = 0;
      for (int e = 0; e < kPer; ++e) {
        ra[r] |= tile.A(row0 + group + 8 * (r % 2), within * kPer + (r / 2) * 4 * kPer + e) << (e * kBits % 32);
      }
    }
    for (int r = 0; r < 2; ++r) {
      rb[r] = 0;
      for (int e = 0; e < kPer; ++e) {
        rb[r] |= tile.B(within * kPer + r * 4 * kPer + e, group) << (e * kBits % 32);
      }
    }
    for (int r = 0; r < kRegisters; ++r) {
      if (kRegisters == 4) rd[r] = tile.C(row0 + group + 8 * (r / 2), within * 2 + r % 2);
      else rd[r] = tile.C(row0 + group + 8 * r, within * 2) | tile.C(row0 + group + 8 * r, within * 2 + 1) << 16;
    }
    @CALL@
    u64 sum = 0;
    for (int r = 0; r < 4; ++r) {
      const u32 bits = kRegisters == 4 ? rd[r] : rd[r / 2] >> (r % 2 * 16) & 0xffff;
      const u32 at = (row0 + group + 8 * (r / 2)) * 8 + within * 2 + r % 2;
      if (d) d[place * (kM * 8) + at] = bits;
      sum += Mixed(bits + kStep * ((first + place) * (kM * 8) + at));
    }
    if (digests) {
      for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
      if (lane == 0) atomicAdd(&digests[place / block], sum);
    }
  }
}
"""

MMA = 'asm volatile("mma.sync.aligned.m16n8k@K@.row.col.@D@.@T@.@T@.@D@ {@DS@}, {@AS@}, {@BS@}, {@DS@};" : @OUT@ : @INREG@);'
WGMMA = r"""
    __syncthreads();
    if (warp == 0) {
      for (int r = 0; r < 2; ++r) shared_b[r * 32 + group * 4 + within] = rb[r];
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    // Both distances of the description are 128 bytes: the two matrices follow each other in k, and n has only one.
    const u64 description = (u64)((u32)__cvta_generic_to_shared(shared_b) >> 4 & 0x3fff) | 8ull << 16 | 8ull << 32;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0; "
                 "wgmma.mma_async.sync.aligned.m64n8k@K@.@D@.@T@.@T@ {@DS@}, {@AS@}, @DESC@, p@SCALES@; }"
                 : @OUT@ : @INREG@, "l"(description) : "memory");
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" : @OUT@ :: "memory");
"""


def call(unit, pair):
    """The instruction as inline assembly: registers rd, ra, and rb or shared memory."""
    form, accumulator = pair.split("-")
    ptx, k, _ = INPUTS[form]
    registers = 2 if accumulator == "f16" else 4
    letter = '"+f"' if accumulator == "f32" else '"+r"'
    place = '*(float*)&rd[{}]' if accumulator == "f32" else 'rd[{}]'
    operands = [f'"r"(ra[{i}])' for i in range(4)] + ([f'"r"(rb[{i}])' for i in range(2)] if unit == "mma" else [])
    names = [f"%{i}" for i in range(registers + len(operands) + 1)]
    text = MMA if unit == "mma" else WGMMA
    scales = "" if form == "s8" else ", 1, 1, 0" if form in ("f16", "bf16") else ", 1, 1"
    for key, value in {"K": str(k), "D": accumulator, "T": ptx, "DS": ", ".join(names[:registers]),
                       "AS": ", ".join(names[registers:registers + 4]),
                       "BS": ", ".join(names[registers + 4:registers + 6]), "DESC": names[registers + 4],
                       "SCALES": scales, "OUT": ", ".join(f"{letter}({place.format(i)})" for i in range(registers)),
                       "INREG": ", ".join(operands)}.items():
        text = text.replace(f"@{key}@", value)
    return text


def instruction_of(unit, pair):
    return matrix_device.Instruction(pair, ROWS[unit], 8, INPUTS[pair.split("-")[0]][1])


def kernel_name(unit, pair):
    return f"{unit}_{pair.replace('-', '_')}"


def kernel(unit, pair):
    form, accumulator = pair.split("-")
    inputs, accumulators = matrix_device.FORMATS[form], matrix_device.FORMATS[accumulator]
    text = KERNEL.replace("@CALL@", call(unit, pair))
    for key, value in {"NAME": kernel_name(unit, pair), "IN": ", ".join(map(str, inputs[:4])),
                       "ACC": ", ".join(map(str, accumulators[:4])), "K": INPUTS[form][1], "PER": INPUTS[form][2],
                       "M": ROWS[unit], "REGISTERS": 2 if accumulator == "f16" else 4,
                       "BIASES": f"{inputs[2]}, {accumulators[2]}"}.items():
        text = text.replace(f"@{key}@", str(value))
    return text


def source(units):
    return COMMON + "".join(kernel(unit, pair) for unit in units for pair in PAIRS)


class Nvrtc(cuda_math.Nvrtc):
    """Machine code: wgmma is only for one architecture."""

    def read(self, program, what):
        if what == "ProgramLog":
            return super().read(program, what)
        size = ctypes.c_size_t()
        self.check(self.library.nvrtcGetCUBINSize(program, ctypes.byref(size)))
        code = ctypes.create_string_buffer(size.value)
        self.check(self.library.nvrtcGetCUBIN(program, code))
        return code.raw


def compile_all(options):
    units = ["mma", "wgmma"] if options.architecture == "sm_90a" else ["mma"]
    code = Nvrtc(options.nvrtc).compile(source(units), [f"--gpu-architecture={options.architecture}", "--std=c++17"])
    try:
        with open(options.output, "wb") as file:
            file.write(code)
    except OSError as error:
        sys.exit(f"cuda_matrix.py: cannot write the kernels: {error}")


class Compute:
    """The requests of the protocol on the GPU."""

    def __init__(self, unit, path):
        self.unit, self.gpu = unit, cuda_math.Gpu()
        try:
            with open(path, "rb") as file:
                code = file.read()
        except OSError as error:
            sys.exit(f"cuda_matrix.py: cannot read the kernels: {error}; `cuda_matrix.py compile` makes them")
        self.module = ctypes.c_void_p()
        self.gpu.check("cuModuleLoadData", ctypes.byref(self.module), ctypes.c_char_p(code))

    def launch(self, instruction, seed, first, count, operands, results, digests, block):
        """Pointers or None for the last but one."""
        function = self.gpu.kernel(self.module, kernel_name(self.unit, instruction.name))
        null = ctypes.c_uint64(0)
        numbers = [ctypes.c_uint64(x) for x in (seed, first, count)]
        arguments = numbers + [x or null for x in (*operands, results, digests)] + [ctypes.c_uint64(block)]
        pointers = (ctypes.c_void_p * len(arguments))(*[ctypes.cast(ctypes.byref(x), ctypes.c_void_p) for x in arguments])
        blocks = min(132 * 16, count if self.unit == "wgmma" else (count + 3) // 4)
        self.gpu.check("cuLaunchKernel", function, blocks, 1, 1, 128, 1, 1, 0, None, pointers, None)
        self.gpu.check("cuCtxSynchronize")

    def fetch(self, pointer, size):
        data = (ctypes.c_char * size)()
        self.gpu.check("cuMemcpyDtoH_v2", data, pointer, ctypes.c_size_t(size))
        return data.raw

    def results(self, instruction, seed, first, count, operands):
        size = 4 * count * instruction.m * instruction.n
        pointer = self.gpu.room("results", size)
        self.launch(instruction, seed, first, count, operands, pointer, None, 1)
        return self.narrowed(self.fetch(pointer, size), matrix_device.FORMATS[instruction.accumulator][4])

    @staticmethod
    def narrowed(data, size):
        """The first `size` bytes of every four."""
        if size == 4:
            return data
        narrow = bytearray(len(data) // 4 * size)
        for i in range(size):
            narrow[i::size] = data[i::4]
        return bytes(narrow)

    def tiles(self, instruction, seed, first, count):
        return self.results(instruction, seed, first, count, (None, None, None))

    def run(self, instruction, count, a, b, c):
        pointers = []
        forms = (instruction.input, instruction.input, instruction.accumulator)
        for place, (form, data) in enumerate(zip(forms, (a, b, c))):
            size = matrix_device.FORMATS[form][4]
            wide = bytearray(len(data) // size * 4)
            for i in range(size):
                wide[i::4] = data[i::size]
            pointers.append(self.gpu.room(place, len(wide)))
            self.gpu.check("cuMemcpyHtoD_v2", pointers[-1], bytes(wide), ctypes.c_size_t(len(wide)))
        return self.results(instruction, 0, 0, count, pointers)

    def digests(self, instruction, seed, first, count, block):
        size = 8 * ((count + block - 1) // block)
        pointer = self.gpu.room("digests", size)
        self.gpu.check("cuMemsetD8_v2", pointer, ctypes.c_ubyte(0), ctypes.c_size_t(size))
        self.launch(instruction, seed, first, count, (None, None, None), None, pointer, block)
        return self.fetch(pointer, size)


def serve(options):
    compute = Compute(options.unit, options.cubin)
    instructions = [instruction_of(options.unit, pair) for pair in PAIRS]
    matrix_device.serve(f"{compute.gpu.name()} {options.unit}", compute.gpu.driver(), instructions, compute, options.compiler)


def record(options):
    compute, results = Compute(options.unit, options.cubin), []
    for pair in PAIRS:
        instruction = instruction_of(options.unit, pair)
        results.append((instruction, compute.tiles(instruction, options.seed, 0, options.tiles)))
    recorded_matrix.write(options.output, f"{compute.gpu.name()} {options.unit}", compute.gpu.driver(), options.compiler, options.seed, results)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("compile", help="compile the kernels with NVRTC")
    command.add_argument("--nvrtc", default="libnvrtc.so", help="the library")
    command.add_argument("--architecture", default="sm_90a", help="sm_90a, or another, which has no wgmma")
    command.add_argument("--output", default="matrix.cubin", help="the file to write")
    command.set_defaults(call=compile_all)
    for name, call_it, what in (("serve", serve, "answer on standard input and output"),
                                ("record", record, "write results of the first random tiles (recorded_matrix.py)")):
        command = commands.add_parser(name, help=what)
        command.add_argument("--unit", choices=list(ROWS), default="mma")
        command.add_argument("--compiler", default="", help="what compiled the kernels, for the model file")
        command.add_argument("cubin", help="what `compile` wrote")
        command.set_defaults(call=call_it)
    command.add_argument("--tiles", type=int, default=2048, help="how many")
    command.add_argument("--seed", type=int, default=1, help="of the random tiles")
    command.add_argument("--output", required=True, help="the file to write")
    options = parser.parse_args()
    options.call(options)


if __name__ == "__main__":
    main()
