// Prefix sums of groups of 16 work-items, nine barriers
kernel void small_scan(global const uint *in, global uint *out, local uint *s)
{
    const int l = get_local_id(0), n = get_local_size(0);
    s[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 1; k < n; k <<= 1) {
        uint sum = s[l];
        if (l >= k)
            sum += s[l - k];
        barrier(CLK_LOCAL_MEM_FENCE);
        s[l] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = s[l];
}
