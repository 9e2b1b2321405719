// A tile with a loop that goes one element beyond each row, and a counter that nothing initialises.
#define SIZE 4
kernel void tile(global float* out, global const float* in, int n) {
  local float rows[SIZE][SIZE];
  local int count;
  int x = get_local_id(0), y = get_local_id(1);
  rows[y][x] = in[get_global_id(1) * n + get_global_id(0)];
  int before = atomic_add(&count, 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int k = 0; k <= SIZE; ++k) sum += rows[y][k];
  out[get_global_id(1) * n + get_global_id(0)] = sum;
}
