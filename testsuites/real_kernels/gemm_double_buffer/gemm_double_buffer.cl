// C = A B with tiles in local memory, two of each: while one pair is multiplied the next is loaded, so one
// barrier a step is enough.  Matrices need not be multiples of the tile; what lies outside counts as 0.
#define TILE 8

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void gemm(global const float *restrict a, global const float *restrict b, global float *restrict c,
          const int m, const int n, const int depth) {
  // One column more than needed: a column of a tile then lies in different banks.
  local float a_tile[2][TILE][TILE + 1];
  local float b_tile[2][TILE][TILE + 1];
  const int x = get_local_id(0);
  const int y = get_local_id(1);
  const int row = get_global_id(1);
  const int column = get_global_id(0);
  const int steps = (depth + TILE - 1) / TILE;

  a_tile[0][y][x] = row < m && x < depth ? a[row * depth + x] : 0.0f;
  b_tile[0][y][x] = y < depth && column < n ? b[y * n + column] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);  // the first pair is there

  float sum = 0.0f;
  for (int step = 0; step < steps; ++step) {
    const int now = step & 1;
    const int later = now ^ 1;
    if (step + 1 < steps) {
      const int k = (step + 1) * TILE;
      a_tile[later][y][x] = row < m && k + x < depth ? a[row * depth + k + x] : 0.0f;
      b_tile[later][y][x] = k + y < depth && column < n ? b[(k + y) * n + column] : 0.0f;
    }
#pragma unroll
    for (int k = 0; k < TILE; ++k) sum = fma(a_tile[now][y][k], b_tile[now][k][x], sum);
    barrier(CLK_LOCAL_MEM_FENCE);  // the next pair is there, this one free
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
