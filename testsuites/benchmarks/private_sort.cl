// (v) sixteen numbers in private memory, sorted by insertion: dynamic indices, inner loops that differ
kernel void private_sort(global const uint *in, global uint *out)
{
    const size_t i = get_global_id(0);
    uint a[16];
    for (int k = 0; k < 16; ++k)
        a[k] = in[(i * 16 + k) % get_global_size(0)] ^ (uint)(i * 2654435761u);
    for (int k = 1; k < 16; ++k) {
        const uint v = a[k];
        int j = k;
        for (; j > 0 && a[j - 1] > v; --j)
            a[j] = a[j - 1];
        a[j] = v;
    }
    out[i] = a[0] ^ a[7] ^ rotate(a[15], 11u);
}
