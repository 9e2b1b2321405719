// Sum of n numbers, one partial sum for each work-group.  Interleaved addressing works for any group
// size, at the price of a divergent condition.
__kernel void reduce(__global const uint *in, __global uint *partial, const uint n,
                     __local uint *scratch)
{
    const uint gid = get_global_id(0);
    const uint lid = get_local_id(0);
    const uint size = get_local_size(0);

    scratch[lid] = gid < n ? in[gid] : 0u;
    barrier(CLK_LOCAL_MEM_FENCE); // loaded

    for (uint stride = 1; stride < size; stride *= 2) {
        if (lid % (2 * stride) == 0 && lid + stride < size)
            scratch[lid] += scratch[lid + stride];
        barrier(CLK_LOCAL_MEM_FENCE); // one level done
    }

    if (lid == 0)
        partial[get_group_id(0)] = scratch[0];
}
