// Bitonic sort of 256 numbers a group in local memory: neighbours far apart, half of the work-items store
kernel void local_sort(global const uint *in, global uint *out, local uint *s)
{
    const uint l = get_local_id(0), g = get_group_id(0), n = get_local_size(0) * 2;
    s[l] = in[g * n + l];
    s[l + n / 2] = in[g * n + l + n / 2];
    for (uint k = 2; k <= n; k <<= 1) {
        for (uint j = k >> 1; j > 0; j >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint i = 2 * l - (l & (j - 1));
            const uint a = s[i], b = s[i + j];
            if ((a > b) == ((i & k) == 0)) {
                s[i] = b;
                s[i + j] = a;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g * n + l] = s[l];
    out[g * n + l + n / 2] = s[l + n / 2];
}
