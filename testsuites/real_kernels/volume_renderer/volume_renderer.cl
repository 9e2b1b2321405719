// Rays through a volume, one a work-item, front to back; a table gives densities their colors.
#pragma OPENCL FP_CONTRACT OFF

constant sampler_t linear_edge =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
constant sampler_t linear_table =
    CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

kernel void render(read_only image3d_t volume, read_only image1d_t table,
                   write_only image2d_t picture, global int* steps_taken) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= get_image_width(picture) || y >= get_image_height(picture)) return;
  const int steps = 2 * get_image_depth(volume) - 1;
  float4 sum = (float4)(0);
  int step = 0;
  while (step < steps && sum.w < 0.9f) {
    const float4 place = (float4)(x + 0.5f, y + 0.5f, 0.5f * step + 0.5f, 0);
    const float density = read_imagef(volume, linear_edge, place).x;
    const float4 color = read_imagef(table, linear_table, density);
    const float light = (1 - sum.w) * color.w;
    sum.xyz += light * color.xyz;
    sum.w += light;
    ++step;
  }
  write_imagef(picture, (int2)(x, y), sum);
  steps_taken[y * get_image_width(picture) + x] = step;
}

// The brightest value of each group's columns scales them; then bytes.
kernel void expose(read_only image2d_t picture, write_only image2d_t shown, local float* most) {
  const int x = get_global_id(0), lid = get_local_id(0);
  float brightest = 0;
  if (x < get_image_width(picture)) {
    for (int y = 0; y < get_image_height(picture); ++y) {
      const float4 color = read_imagef(picture, (int2)(x, y));
      brightest = fmax(brightest, fmax(color.x, fmax(color.y, color.z)));
    }
  }
  most[lid] = brightest;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x >= get_image_width(picture)) return;
  for (int i = 0; i < get_local_size(0); ++i) brightest = fmax(brightest, most[i]);
  const float scale = brightest > 0.5f ? 1.0f : 2.0f;
  for (int y = 0; y < get_image_height(picture); ++y) {
    float4 color = read_imagef(picture, (int2)(x, y));
    color.xyz *= scale;
    write_imagef(shown, (int2)(x, y), color);
  }
}
