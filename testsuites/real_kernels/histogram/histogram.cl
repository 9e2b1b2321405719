// Histogram of bytes in 64 bins, OpenCL 1.2: each group counts in local memory, 16 bytes a load, and adds
// what it found to the result.
#define BINS 64

__kernel void histogram(__global const uchar *pixels, const uint n, __global uint *result)
{
    __local uint bins[BINS];
    const uint lid = get_local_id(0);

    for (uint b = lid; b < BINS; b += get_local_size(0))
        bins[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE); // empty

    const uint step = get_global_size(0);
    for (uint v = get_global_id(0); v < n / 16; v += step) {
        uchar16 p = vload16(v, pixels) >> (uchar16)2;
        atomic_inc(&bins[p.s0]); atomic_inc(&bins[p.s1]);
        atomic_inc(&bins[p.s2]); atomic_inc(&bins[p.s3]);
        atomic_inc(&bins[p.s4]); atomic_inc(&bins[p.s5]);
        atomic_inc(&bins[p.s6]); atomic_inc(&bins[p.s7]);
        atomic_inc(&bins[p.s8]); atomic_inc(&bins[p.s9]);
        atomic_inc(&bins[p.sa]); atomic_inc(&bins[p.sb]);
        atomic_inc(&bins[p.sc]); atomic_inc(&bins[p.sd]);
        atomic_inc(&bins[p.se]); atomic_inc(&bins[p.sf]);
    }
    // The tail that fills no vector.
    for (uint i = n / 16 * 16 + get_global_id(0); i < n; i += step)
        atomic_inc(&bins[pixels[i] >> 2]);
    barrier(CLK_LOCAL_MEM_FENCE); // counted

    for (uint b = lid; b < BINS; b += get_local_size(0)) {
        const uint count = bins[b];
        if (count != 0)
            atomic_add(&result[b], count);
    }
}
