// (n) transforms of 256 points in local memory, 64 work-items each: native_sin, native_cos, barriers
kernel void fft(global const float2 *in, global float2 *out, local float2 *a, local float2 *b)
{
    const int t = get_local_id(0);
    const size_t first = get_group_id(0) * 256;
    for (int i = t; i < 256; i += 64)
        a[i] = in[first + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = 256, s = 1; n > 1; n /= 2, s *= 2) {
        for (int i = t; i < 128; i += 64) {
            const int p = i / s, q = i % s;
            const float angle = -6.2831853f * p / n;
            const float2 w = (float2)(native_cos(angle), native_sin(angle));
            const float2 x = a[q + s * p], y = a[q + s * (p + n / 2)], d = x - y;
            b[q + s * 2 * p] = x + y;
            b[q + s * (2 * p + 1)] = (float2)(d.x * w.x - d.y * w.y, d.x * w.y + d.y * w.x);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        local float2 *const swap = a;
        a = b;
        b = swap;
    }
    for (int i = t; i < 256; i += 64)
        out[first + i] = a[i];
}
