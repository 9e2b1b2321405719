// Batcher's odd-even merge sort of any number of keys, in place in global memory by one work-group: the
// keys are exchanged through global memory, so that is what the barriers fence.
__kernel void sort(__global short *keys, const int n)
{
    const int i = get_local_id(0);
    for (int p = 1; p < n; p <<= 1) {
        for (int k = p; k > 0; k >>= 1) {
            const int offset = k % p;
            const bool is_low = i >= offset && ((i - offset) / k) % 2 == 0;
            if (is_low && i + k < n && i / (2 * p) == (i + k) / (2 * p)) {
                const short a = keys[i];
                const short b = keys[i + k];
                keys[i] = min(a, b);
                keys[i + k] = max(a, b);
            }
            barrier(CLK_GLOBAL_MEM_FENCE);
        }
    }
}
