// (q) a step of the wave equation: nine points, edges clamped
kernel void stencil(int width, int height, global const float *now, global const float *before, global float *next)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const int left = max(x - 1, 0), right = min(x + 1, width - 1);
    const int up = max(y - 1, 0), down = min(y + 1, height - 1);
    const float centre = now[y * width + x];
    const float cross = now[y * width + left] + now[y * width + right] + now[up * width + x] + now[down * width + x];
    const float corners = now[up * width + left] + now[up * width + right] + now[down * width + left] + now[down * width + right];
    next[y * width + x] = 2.0f * centre - before[y * width + x] + 0.1f * (0.8f * cross + 0.2f * corners - 4.0f * centre);
}
