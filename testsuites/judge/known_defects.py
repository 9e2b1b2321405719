#!/usr/bin/env python3
"""An application that calls built-ins where PoCL 3.1 is known to be wrong (docs/gallery), to be judged:

    assay exec --judge -- /usr/bin/python3 testsuites/judge/known_defects.py

It needs pyopencl (Debian: python3-pyopencl) and prints nothing but how many launches it made.
"""
import numpy as np
import pyopencl as cl

SOURCE = r"""
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void sin16(global const float16* x, global float16* y) { size_t i = get_global_id(0); y[i] = sin(x[i]); }
kernel void exp1(global const double* x, global double* y) { size_t i = get_global_id(0); y[i] = exp(x[i]); }
kernel void gamma1(global const float* x, global float* y) { size_t i = get_global_id(0); y[i] = tgamma(x[i]); }
kernel void ldexp4(global const float4* x, global float4* y) { size_t i = get_global_id(0); y[i] = ldexp(x[i], (int4)(-130)); }
kernel void pow8(global const double8* x, global double8* y) { size_t i = get_global_id(0); y[i] = pow(x[i], (double8)(-10.5)); }
// Right on every driver that is known.
kernel void mixed(global const float* x, global float* y) {
  size_t i = get_global_id(0);
  y[i] = log(1.0f + x[i] * x[i]) * cos(x[i]) / (2.0f + sqrt(fabs(x[i])));
}
"""


def main():
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE).build()
    random = np.random.default_rng(1)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR

    def launch(kernel, x, width):
        buffers = [cl.Buffer(context, flags, hostbuf=a) for a in (x, np.zeros_like(x))]
        kernel(queue, (len(x) // width,), (4,), *buffers)
        queue.finish()

    launch(program.sin16, (0x807fffff - np.arange(1024, dtype=np.uint32)).astype(np.uint32).view(np.float32), 16)
    launch(program.exp1, (0x40862e42fefa39ed - np.arange(64, dtype=np.uint64)).view(np.float64), 1)
    launch(program.gamma1, (0xc217ffff + np.arange(1024, dtype=np.uint32)).astype(np.uint32).view(np.float32), 1)
    launch(program.ldexp4, random.uniform(1, 16, 256).astype(np.float32), 4)
    launch(program.pow8, np.abs(random.uniform(-1, 1, 512)) * 10.0 ** random.integers(-320, 2, 512), 8)
    launch(program.mixed, random.uniform(-10, 10, 4096).astype(np.float32), 1)
    print("6 launches")


if __name__ == "__main__":
    main()
