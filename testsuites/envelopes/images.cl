// Kernels with images, and one whose constants a compiler may compute after it has contracted.

kernel void unsampled(read_only image2d_t image, global float4* out) {
  int i = get_global_id(0);
  out[i] = read_imagef(image, (int2)(i, 1));
}

constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void exact(read_only image2d_t image, global float4* out) {
  int i = get_global_id(0);
  out[i] = read_imagef(image, border, (float2)(i - 0.25f, 0.5f));
}

// Half an element to the left of it, and a tenth of an element beside the border.
constant sampler_t turns = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
kernel void beside(read_only image2d_t image, global float4* out) {
  int i = get_global_id(0);
  float x = i == 0 ? 1.5f : 2.1f;
  out[i] = read_imagef(image, turns, (float2)(x / 4.0f, 0.25f));
}

constant sampler_t smooth = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
kernel void filtered(read_only image2d_t image, global float4* out) {
  out[get_global_id(0)] = read_imagef(image, smooth, (float2)(1.25f, 1.0f));
}

kernel void written(write_only image2d_t image, global const float4* color) {
  int i = get_global_id(0);
  write_imagef(image, (int2)(i, 0), color[i]);
}

// What is written hangs on a value that devices may have otherwise, and so does what is read of it.
kernel void computed(write_only image2d_t image, global const float* x) {
  int i = get_global_id(0);
  write_imagef(image, (int2)(i, 0), (float4)(exp(x[i]), sin(x[i]), x[i], 1.0f));
}

kernel void folded(global const float* y, global float* out) {
  int i = get_global_id(0);
  out[i] = (-1.952f) * (-0.685f) - y[i];
}
kernel void divided(global float* out) { out[0] = 1.0f / 3.0f; }
