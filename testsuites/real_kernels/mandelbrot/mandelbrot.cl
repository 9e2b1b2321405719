// Mandelbrot set with a palette, two pixels of a row a work-item, and how many pixels never escape.
#pragma OPENCL FP_CONTRACT OFF
#define COLOURS 16

kernel void mandelbrot(global uchar4 *image, const uint width, const uint height,
                       const float2 corner, const float step, const uint limit,
                       constant uchar4 *palette, global uint *inside) {
  const uint y = get_global_id(1);
  if (y >= height) return;
  for (uint dx = 0; dx < 2; ++dx) {
    const uint x = 2 * get_global_id(0) + dx;
    if (x >= width) break;
    const float2 c = corner + (float2)((float)x, (float)y) * step;
    float2 z = (float2)(0.0f, 0.0f);
    uint i = 0;
    while (i < limit && z.x * z.x + z.y * z.y <= 4.0f) {
      z = (float2)(z.x * z.x - z.y * z.y, 2.0f * z.x * z.y) + c;
      ++i;
    }
    uchar4 colour = (uchar4)(0, 0, 0, 255);
    if (i < limit) {
      colour = palette[i % COLOURS];
    } else {
      atomic_inc(inside);
    }
    image[y * width + x] = colour;
  }
}
