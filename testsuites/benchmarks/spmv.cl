// (o) a sparse matrix by a vector, a row a work-item: gathers, columns by integer remainders
kernel void spmv(int rows, global const uint *starts, global const float *values, global const float *x, global float *y)
{
    const uint row = get_global_id(0);
    const uint first = starts[row] % 16, count = 8 + starts[row] % 24;
    float sum = 0;
    for (uint k = 0; k < count; ++k) {
        const uint column = (row * 2654435761u + k * 40503u + first) % (uint)rows;
        sum += values[(row * 32 + k) % (uint)(rows * 4)] * x[column];
    }
    y[row] = sum;
}
