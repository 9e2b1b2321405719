// Canny's edge detector: smooth, gradient, thinning, and hysteresis by launches that let strong
// edges grow into weak ones.
constant sampler_t edge =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t zero_outside =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

constant int weights[5][5] = {
    {2, 4, 5, 4, 2}, {4, 9, 12, 9, 4}, {5, 12, 15, 12, 5}, {4, 9, 12, 9, 4}, {2, 4, 5, 4, 2}};

constant int2 sectors[4] = {(int2)(1, 0), (int2)(1, 1), (int2)(0, 1), (int2)(-1, 1)};

enum { kNone, kWeak, kStrong };

bool is_outside(int2 at, int2 size) { return at.x >= size.x || at.y >= size.y; }

kernel void smooth(read_only image2d_t in, write_only image2d_t out) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (is_outside(at, get_image_dim(in))) return;
  int sum = 79;
  for (int y = 0; y < 5; ++y) {
    for (int x = 0; x < 5; ++x) {
      sum += weights[y][x] * (int)read_imageui(in, edge, at + (int2)(x - 2, y - 2)).x;
    }
  }
  write_imageui(out, at, (uint4)(sum / 159));
}

// x and y of the gradient, its length, and the sector of its direction.
kernel void gradient(read_only image2d_t in, write_only image2d_t out) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (is_outside(at, get_image_dim(in))) return;
  int near[9];
  for (int i = 0; i < 9; ++i) {
    near[i] = read_imageui(in, edge, at + (int2)(i % 3 - 1, i / 3 - 1)).x;
  }
  const int gx = near[2] + 2 * near[5] + near[8] - near[0] - 2 * near[3] - near[6];
  const int gy = near[6] + 2 * near[7] + near[8] - near[0] - 2 * near[1] - near[2];
  int sector = gx * gy > 0 ? 1 : 3;
  if (abs(gy) * 5 <= abs(gx) * 2) sector = 0;
  if (abs(gx) * 5 < abs(gy) * 2) sector = 2;
  write_imagei(out, at, (int4)(gx, gy, abs(gx) + abs(gy), sector));
}

kernel void thin(read_only image2d_t gradient, write_only image2d_t classes, int weak, int strong) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (is_outside(at, get_image_dim(gradient))) return;
  const int4 here = read_imagei(gradient, at);
  const int2 way = sectors[here.w];
  const int before = read_imagei(gradient, zero_outside, at - way).z;
  const int after = read_imagei(gradient, zero_outside, at + way).z;
  uint class = kNone;
  if (here.z >= before && here.z > after && here.z > weak) class = here.z > strong ? kStrong : kWeak;
  write_imageui(classes, at, (uint4)(class, 0, 0, 0));
}

kernel void grow(read_only image2d_t in, write_only image2d_t out, global int* grown) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (is_outside(at, get_image_dim(in))) return;
  uint class = read_imageui(in, at).x;
  if (class == kWeak) {
    for (int i = 0; i < 9; ++i) {
      const int2 beside = at + (int2)(i % 3 - 1, i / 3 - 1);
      if (read_imageui(in, zero_outside, beside).x == kStrong) class = kStrong;
    }
    if (class == kStrong) atomic_inc(grown);
  }
  write_imageui(out, at, (uint4)(class, 0, 0, 0));
}

kernel void finish(read_only image2d_t classes, write_only image2d_t edges, global int* length,
                   local int* found) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  const int lid = get_local_id(1) * get_local_size(0) + get_local_id(0);
  if (lid == 0) *found = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!is_outside(at, get_image_dim(classes))) {
    const bool is_edge = read_imageui(classes, at).x == kStrong;
    if (is_edge) atomic_inc(found);
    write_imagef(edges, at, (float4)(is_edge ? 1 : 0));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid == 0) atomic_add(length, *found);
}
