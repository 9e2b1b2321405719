// A convolution with 1 3 8 3 1 in both directions, in which a linear sampler reads two elements at
// once, and a picture of half the size, in which it reads four.

// Between the elements 1 and 2 from the center: 3 to 1.
#define BETWEEN 1.25f

float pair(read_only image2d_t in, sampler_t linear_edge, float2 at, float2 direction) {
  return 0.25f * (read_imagef(in, linear_edge, at + direction * BETWEEN).x +
                  read_imagef(in, linear_edge, at - direction * BETWEEN).x);
}

// Bytes to floats.
kernel void load(read_only image2d_t in, write_only image2d_t out) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= get_image_dim(in))) return;
  write_imagef(out, at, (float4)(read_imageui(in, at).x, 0, 0, 1));
}

kernel void convolve(read_only image2d_t in, write_only image2d_t out, sampler_t linear_edge,
                     float2 direction) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= get_image_dim(out))) return;
  const float2 center = convert_float2(at) + 0.5f;
  const float middle = 0.5f * read_imagef(in, linear_edge, center).x;
  write_imagef(out, at, (float4)(middle + pair(in, linear_edge, center, direction), 0, 0, 1));
}

// A group takes a row of the smaller picture; its sum is that of a tree in local memory.
kernel void halve(read_only image2d_t in, write_only image2d_t out, sampler_t linear_normalized,
                  global float* sums, local float* tree) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  const float2 size = convert_float2(get_image_dim(out));
  const float value = read_imagef(in, linear_normalized, (convert_float2(at) + 0.5f) / size).x;
  write_imagef(out, at, (float4)(value, 0, 0, 1));
  const int lid = get_local_id(0);
  tree[lid] = value;
  for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < step) tree[lid] += tree[lid + step];
  }
  if (lid == 0) sums[at.y] = tree[0];
}
