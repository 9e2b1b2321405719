// A histogram of each group in local memory, by atomics, which is added to that of all
kernel void local_histogram(global const uchar *in, global uint *out, int each)
{
    local uint bins[256];
    const uint l = get_local_id(0), n = get_local_size(0);
    for (uint i = l; i < 256; i += n)
        bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint first = get_group_id(0) * n * each;
    for (int i = 0; i < each; ++i)
        atomic_inc(&bins[in[first + i * n + l]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = l; i < 256; i += n)
        atomic_add(&out[i], bins[i]);
}
