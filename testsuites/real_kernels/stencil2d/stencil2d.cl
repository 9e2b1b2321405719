// Heat on a plate: one step of a five-point stencil with a tile and its halo in local memory, edges
// reflected.  Work-items at the rim of the tile load the halo; cells that change much are counted.
#define W 16
#define H 8

kernel void diffuse(global const float *restrict from, global float *restrict to, int width,
                    int height, float limit, global atomic_int *lively) {
  local float tile[H + 2][W + 2];
  const int lx = get_local_id(0) + 1;
  const int ly = get_local_id(1) + 1;
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  const int cx = min(x, width - 1);
  const int cy = min(y, height - 1);

  tile[ly][lx] = from[cy * width + cx];
  if (lx == 1) tile[ly][0] = from[cy * width + max(cx - 1, 0)];
  if (lx == W) tile[ly][W + 1] = from[cy * width + min(x + 1, width - 1)];
  if (ly == 1) tile[0][lx] = from[max(cy - 1, 0) * width + cx];
  if (ly == H) tile[H + 1][lx] = from[min(y + 1, height - 1) * width + cx];
  work_group_barrier(CLK_LOCAL_MEM_FENCE);

  if (x < width && y < height) {
    const float old = tile[ly][lx];
    const float around = tile[ly - 1][lx] + tile[ly + 1][lx] + tile[ly][lx - 1] + tile[ly][lx + 1];
    const float change = 0.125f * (around - 4.0f * old);
    to[y * width + x] = old + change;
    if (fabs(change) > limit) {
      atomic_fetch_add_explicit(lively, 1, memory_order_relaxed, memory_scope_device);
    }
  }
}
