// C = A B of quantized matrices in tiles of 4 rows and 16 columns, one for each sub-group. A work-item has a
// column of the tile; rows come by block reads, and the elements of A from the work-item that has read them.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable

#define WIDTH 16
#define ROWS 4

float element(global const int *row) {
  return convert_float(as_int(intel_sub_group_block_read((global const uint *)row)));
}

__attribute__((intel_reqd_sub_group_size(WIDTH)))
kernel void multiply(global const int *a, global const int *b, global float *c, int m, int n, int k) {
  const int column = get_group_id(0) * WIDTH;
  const int row = (get_group_id(1) * get_num_sub_groups() + get_sub_group_id()) * ROWS;
  if (row >= m) return;  // all of a sub-group
  float sum[ROWS] = {0};
  for (int first = 0; first < k; first += WIDTH) {
    float left[ROWS];
    for (int r = 0; r < ROWS; ++r) {
      left[r] = element(a + (row + r) * k + first);
    }
    for (int i = 0; i < WIDTH; ++i) {
      const float right = element(b + (first + i) * n + column);
      for (int r = 0; r < ROWS; ++r) sum[r] += intel_sub_group_shuffle(left[r], i) * right;
    }
  }
  for (int r = 0; r < ROWS; ++r) {
    intel_sub_group_block_write((global uint *)(c + (row + r) * n + column), as_uint(sum[r]));
  }
}

// The largest element of each row of C, by a sub-group.
__attribute__((intel_reqd_sub_group_size(WIDTH)))
kernel void largest(global const float *c, global float *rows, int m, int n, local float *parts) {
  const int row = get_group_id(0);
  const int lane = get_sub_group_local_id();
  float mine = -INFINITY;
  for (int i = get_sub_group_id() * WIDTH; i < n; i += get_num_sub_groups() * WIDTH) {
    mine = fmax(mine, as_float(intel_sub_group_block_read((global const uint *)(c + row * n + i))));
  }
  // Half of the sub-group after the other, without a function that reduces.
  for (int step = WIDTH / 2; step > 0; step /= 2) {
    mine = fmax(mine, intel_sub_group_shuffle_xor(mine, step));
  }
  if (lane == 0) parts[get_sub_group_id()] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    float all = parts[0];
    for (int i = 1; i < get_num_sub_groups(); ++i) all = fmax(all, parts[i]);
    rows[row] = all;
  }
}
