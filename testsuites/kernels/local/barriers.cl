// Barriers in loops, in functions and in branches that the whole group takes.
void pass_left(local uint *cells, size_t l, size_t n) {
  uint v = cells[(l + 1) % n];
  barrier(CLK_LOCAL_MEM_FENCE);
  cells[l] = v * 3 + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void in_functions(global const uint *x, global uint *out, local uint *cells) {
  size_t l = get_local_id(0);
  size_t n = get_local_size(0);
  cells[l] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < 3 + get_group_id(0) % 3; ++k) pass_left(cells, l, n);
  if (get_group_id(0) & 1) {
    pass_left(cells, l, n);
  } else {
    if (n > 4) {
      barrier(CLK_LOCAL_MEM_FENCE);
      cells[l] += (uint)l;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  out[get_global_id(0)] = cells[l];
}

// Work-items do different amounts of work between two barriers.
kernel void uneven(global uint *out, local uint *cells) {
  uint l = (uint)get_local_id(0);
  uint n = (uint)get_local_size(0);
  uint v = l;
  for (uint round = 0; round < 4; ++round) {
    for (uint k = 0; k < (l * 7 + round) % 11; ++k) v = v * 5 + k;
    cells[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l % 3 == round % 3) v ^= cells[n - 1 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = v;
}

// Global memory is passed between the work-items of one group.
kernel void through_global(global uint *data, global uint *out) {
  size_t g = get_global_id(0);
  size_t l = get_local_id(0);
  size_t first = g - l;
  size_t n = get_local_size(0);
  data[g] = (uint)(g * g);
  barrier(CLK_GLOBAL_MEM_FENCE);
  uint v = data[first + (l * 3 + 1) % n];
  barrier(CLK_GLOBAL_MEM_FENCE);
  data[g] = v + 1;
  barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  out[g] = v * 2 + data[first + n - 1 - l];
}

// A loop whose end one work-item decides for the group.
kernel void decided_by_one(global const uint *x, global uint *out) {
  local uint go_on;
  local uint sum;
  size_t l = get_local_id(0);
  if (l == 0) {
    go_on = 1;
    sum = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint rounds = 0;
  while (go_on) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
      sum += x[(get_group_id(0) * 7 + rounds) % 40] % 100;
      go_on = sum < 300;
    }
    ++rounds;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = rounds * 1000 + sum;
}

// Three dimensions; the local object is a structure.
typedef struct {
  int rows[3][4];
  int total;
} Board;

kernel void cube(global int *out) {
  local Board board[2];
  int x = (int)get_local_id(0), y = (int)get_local_id(1), z = (int)get_local_id(2);
  board[z].rows[y][x] = x + 10 * y + 100 * z + (int)get_group_id(0);
  if (x == 0 && y == 0) board[z].total = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x == 0 && y == 0) {
    for (int k = 0; k < 12; ++k) board[z].total += board[1 - z].rows[k / 4][k % 4] * (k + 1);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  size_t g = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) +
             get_global_id(0);
  out[g] = board[z].total + board[z].rows[2 - y][3 - x];
}
