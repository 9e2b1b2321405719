// Transposition through a padded tile, and a matrix product with two tiles that take turns.
#define TILE 8

kernel void transpose(global const uint *in, global uint *out, uint width, uint height) {
  local uint tile[TILE][TILE + 1];
  uint x = (uint)get_global_id(0);
  uint y = (uint)get_global_id(1);
  uint lx = (uint)get_local_id(0);
  uint ly = (uint)get_local_id(1);
  if (x < width && y < height) tile[ly][lx] = in[y * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint tx = (uint)get_group_id(1) * TILE + lx;
  uint ty = (uint)get_group_id(0) * TILE + ly;
  if (tx < height && ty < width) out[ty * height + tx] = tile[lx][ly];
}

kernel void double_buffered(global const int *a, global const int *b, global int *c, int n) {
  local int ta[2][TILE * TILE];
  local int tb[2][TILE * TILE];
  int col = (int)get_global_id(0);
  int row = (int)get_global_id(1);
  int lx = (int)get_local_id(0);
  int ly = (int)get_local_id(1);
  int turn = 0;
  int sum = 0;
  ta[0][ly * TILE + lx] = a[row * n + lx];
  tb[0][ly * TILE + lx] = b[ly * n + col];
  for (int t = TILE; t <= n; t += TILE) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < n) {
      ta[turn ^ 1][ly * TILE + lx] = a[row * n + t + lx];
      tb[turn ^ 1][ly * TILE + lx] = b[(t + ly) * n + col];
    }
    for (int k = 0; k < TILE; ++k) sum += ta[turn][ly * TILE + k] * tb[turn][k * TILE + lx];
    turn ^= 1;
  }
  c[row * n + col] = sum;
}

// A stencil with a halo that the outer work-items of a group load.
kernel void stencil(global const int *in, global int *out, local int *cells, int count) {
  int g = (int)get_global_id(0);
  int l = (int)get_local_id(0);
  int n = (int)get_local_size(0);
  cells[l + 2] = in[g];
  if (l < 2) cells[l] = g - 2 >= 0 ? in[g - 2] : -1;
  if (l >= n - 2) cells[l + 4] = g + 2 < count ? in[g + 2] : -1;
  for (int round = 0; round < 3; ++round) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = (cells[l] + cells[l + 1] + 2 * cells[l + 2] + cells[l + 3] + cells[l + 4]) / 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    cells[l + 2] = v % 10007;
  }
  out[g] = cells[l + 2];
}
