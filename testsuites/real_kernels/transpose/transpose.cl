// Matrix transpose through a local tile, 16 x 4 work-items for 16 x 16 elements, the tile padded by one
// column against bank conflicts.
#define TILE 16
#define ROWS 4

kernel void transpose(global const float *restrict in, global float *restrict out, uint width,
                      uint height) {
  local float tile[TILE][TILE + 1];
  uint tx = get_local_id(0);
  uint ty = get_local_id(1);
  uint x = get_group_id(0) * TILE + tx;
  uint y = get_group_id(1) * TILE + ty;

  for (uint j = 0; j < TILE; j += ROWS) {
    if (x < width && y + j < height) tile[ty + j][tx] = in[(y + j) * width + x];
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  x = get_group_id(1) * TILE + tx;
  y = get_group_id(0) * TILE + ty;
  for (uint j = 0; j < TILE; j += ROWS) {
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[tx][ty + j];
  }
}
