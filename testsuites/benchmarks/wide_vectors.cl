// (ab) float16: a recurrence with clamps, as many numbers a work-item as the longest vector has
kernel void wide_vectors(global const float16 *a, global const float16 *b, global float16 *out)
{
    const size_t i = get_global_id(0);
    float16 x = a[i], y = b[i];
    for (int k = 0; k < 16; ++k) {
        x = clamp(x * y + 0.1f, -2.0f, 2.0f);
        y = y * 0.99f + x * 0.01f;
    }
    out[i] = x + y;
}
