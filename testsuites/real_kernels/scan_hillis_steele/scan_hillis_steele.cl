// Inclusive prefix sum of each work-group's part after Hillis and Steele.  Two buffers change places,
// so one barrier a step is enough: a step reads one and writes the other.
__kernel void inclusive_scan(__global const int *in, __global int *out, __local int *from,
                             __local int *to)
{
    size_t lid = get_local_id(0);
    size_t gid = get_global_id(0);

    from[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE); /* loaded */
    for (size_t d = 1; d < get_local_size(0); d <<= 1) {
        to[lid] = lid >= d ? from[lid] + from[lid - d] : from[lid];
        barrier(CLK_LOCAL_MEM_FENCE); /* step done */
        __local int *swap = from;
        from = to;
        to = swap;
    }
    out[gid] = from[lid];
}
