// Blur, Sobel and threshold of a picture of bytes: what one kernel writes the next one reads.
#define TILE 8
#define SIDE (TILE + 2)

constant sampler_t edge =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

// Weights 1 2 1, 2 4 2, 1 2 1, over 16.
kernel void blur(read_only image2d_t in, write_only image2d_t out) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (at.x >= get_image_width(out) || at.y >= get_image_height(out)) return;
  uint4 sum = (uint4)(8);
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const uint weight = 4u >> (abs(dx) + abs(dy));
      sum += weight * read_imageui(in, edge, at + (int2)(dx, dy));
    }
  }
  write_imageui(out, at, sum >> 4);
}

// The gradient of the brightness, from a tile in local memory with a border of one.
kernel void sobel(read_only image2d_t in, write_only image2d_t gradient, local int* tile) {
  const int2 local_at = (int2)(get_local_id(0), get_local_id(1));
  const int2 corner = (int2)(get_group_id(0), get_group_id(1)) * TILE - 1;
  for (int i = local_at.y * TILE + local_at.x; i < SIDE * SIDE; i += TILE * TILE) {
    const uint4 color = read_imageui(in, edge, corner + (int2)(i % SIDE, i / SIDE));
    tile[i] = (color.x * 77 + color.y * 150 + color.z * 29) >> 8;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (at.x >= get_image_width(gradient) || at.y >= get_image_height(gradient)) return;
  const local int* up = tile + local_at.y * SIDE + local_at.x;
  const local int* here = up + SIDE;
  const local int* down = here + SIDE;
  const int gx = up[2] + 2 * here[2] + down[2] - up[0] - 2 * here[0] - down[0];
  const int gy = down[0] + 2 * down[1] + down[2] - up[0] - 2 * up[1] - up[2];
  write_imageui(gradient, at, (uint4)(abs(gx) + abs(gy), 0, 0, 0));
}

// Every work-item takes a row.
kernel void threshold(read_only image2d_t gradient, write_only image2d_t mask, uint limit,
                      global int* counts) {
  const int y = get_global_id(0);
  if (y >= get_image_height(gradient)) return;
  int count = 0;
  for (int x = 0; x < get_image_width(gradient); ++x) {
    const uint value = read_imageui(gradient, (int2)(x, y)).x;
    write_imageui(mask, (int2)(x, y), (uint4)(value > limit ? 255 : 0));
    if (value > limit) ++count;
  }
  counts[y] = count;
}
