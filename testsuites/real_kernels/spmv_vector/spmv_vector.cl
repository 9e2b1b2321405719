// Sparse matrix (compressed rows) times vector, eight work-items a row: each adds up every eighth element
// and the parts meet in local memory.
#define LANES 8
#define ROWS_PER_GROUP 6

__kernel __attribute__((reqd_work_group_size(LANES * ROWS_PER_GROUP, 1, 1)))
void spmv(const int rows, __global const int *row_start, __global const int *column,
          __global const float *value, __global const float *x, __global float *y)
{
    __local float part[LANES * ROWS_PER_GROUP];
    const int lid = get_local_id(0);
    const int lane = lid & (LANES - 1);
    const int row = get_group_id(0) * ROWS_PER_GROUP + lid / LANES;

    float sum = 0.0f;
    if (row < rows)
        for (int i = row_start[row] + lane; i < row_start[row + 1]; i += LANES)
            sum += value[i] * x[column[i]];
    part[lid] = sum;
    // A row's lanes need not be in step with each other: barriers, and all work-items come to them.
    barrier(CLK_LOCAL_MEM_FENCE); /* parts */
    if (lane < 4) part[lid] += part[lid + 4];
    barrier(CLK_LOCAL_MEM_FENCE); /* fours */
    if (lane < 2) part[lid] += part[lid + 2];
    barrier(CLK_LOCAL_MEM_FENCE); /* twos */
    if (lane == 0 && row < rows)
        y[row] = part[lid] + part[lid + 1];
}
