// A binomial filter of five by five elements, a read through a sampler each.
constant float weights[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

kernel void image_convolution(read_only image2d_t in, sampler_t sampler, write_only image2d_t out) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  float4 sum = 0;
  for (int y = 0; y < 5; ++y) {
    for (int x = 0; x < 5; ++x) {
      sum += weights[y] * weights[x] * read_imagef(in, sampler, at + (int2)(x - 2, y - 2));
    }
  }
  write_imagef(out, at, sum);
}

// The same filter by nine reads between elements, as a linear sampler makes it.
kernel void image_convolution_linear(read_only image2d_t in, sampler_t sampler, write_only image2d_t out) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  const float2 middle = convert_float2(at) + 0.5f;
  const float offset[3] = {-1.2f, 0, 1.2f};
  const float weight[3] = {0.3125f, 0.375f, 0.3125f};
  float4 sum = 0;
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 3; ++x) {
      sum += weight[y] * weight[x] * read_imagef(in, sampler, middle + (float2)(offset[x], offset[y]));
    }
  }
  write_imagef(out, at, sum);
}
