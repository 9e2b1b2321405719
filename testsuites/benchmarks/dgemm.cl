// (s) matrices of double in tiles of local memory
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define TILE 16
kernel void dgemm(int n, global const double *a, global const double *b, global double *c)
{
    local double left[TILE][TILE], above[TILE][TILE];
    const int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
    double sum = 0;
    for (int t = 0; t < n; t += TILE) {
        left[y][x] = a[row * n + t + x];
        above[y][x] = b[(t + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; ++k)
            sum += left[y][k] * above[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
