// (p) a switch whose cases have loops; at most 2 of 64 work-items are in one of them
kernel void sparse_switch(global const uint *in, global uint *out)
{
    const size_t i = get_global_id(0);
    uint v = in[i];
    switch ((uint)i % 32) {
    case 3:
        for (uint k = 0; k < 200 + (v & 63); ++k)
            v = v * 1664525u + 1013904223u;
        break;
    case 11:
        for (uint k = 0; k < 300 + (v & 31); ++k)
            v ^= (v << 5) + (v >> 2) + k;
        break;
    case 17:
        while ((v & 0xff) != 0x5a)
            v = rotate(v, 7u) * 0x9e3779b1u + 1;
        break;
    case 29:
        for (uint k = 1; k < 150; ++k)
            v += v / (k + (v & 7)) ^ k;
        break;
    default:
        v += 1;
    }
    out[i] = v;
}
