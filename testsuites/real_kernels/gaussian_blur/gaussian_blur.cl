// Separable blur of an image of bytes with four channels: rows through a local line with an apron, then
// columns from global memory.  Weights 1 4 6 4 1 of 16, edges clamped, rounded to nearest.
#define GROUP 16
#define RADIUS 2

constant int weights[2 * RADIUS + 1] = {1, 4, 6, 4, 1};

int4 fetch(global const uchar4 *row, int x, int width) {
  return convert_int4(row[clamp(x, 0, width - 1)]);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void blur_rows(global const uchar4 *restrict in, global uchar4 *restrict out, int width) {
  local int4 line[GROUP + 2 * RADIUS];
  const int lid = get_local_id(0);
  const int x = get_global_id(0);
  global const uchar4 *row = in + get_global_id(1) * width;
  for (int i = lid; i < GROUP + 2 * RADIUS; i += GROUP) {
    line[i] = fetch(row, x - lid + i - RADIUS, width);
  }
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (x >= width) return;
  int4 sum = (int4)(8);
  for (int k = 0; k <= 2 * RADIUS; ++k) sum += weights[k] * line[lid + k];
  out[get_global_id(1) * width + x] = convert_uchar4(sum / 16);
}

kernel void blur_columns(global const uchar4 *restrict in, global uchar4 *restrict out,
                         int2 size, int threshold, volatile global int *bright) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  if (x >= size.x || y >= size.y) return;
  int4 sum = (int4)(8);
  for (int k = -RADIUS; k <= RADIUS; ++k) {
    sum += weights[k + RADIUS] * convert_int4(in[clamp(y + k, 0, size.y - 1) * size.x + x]);
  }
  const int4 value = sum / 16;
  if (value.x + value.y + value.z > threshold) atomic_inc(bright);
  out[y * size.x + x] = convert_uchar4(value);
}
