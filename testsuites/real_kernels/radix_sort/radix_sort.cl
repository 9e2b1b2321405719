// Stable radix sort of (key, value) pairs, four bits a pass: three launches count digits by group, scan
// the counts digit by digit over all groups, and scatter.
#define RADIX 16
#define GROUP 64

kernel void count_digits(global const uint *keys, uint n, uint shift, global uint *counts) {
  local uint histogram[RADIX];
  const uint lid = get_local_id(0);
  const uint i = get_global_id(0);
  if (lid < RADIX) histogram[lid] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);  // cleared
  if (i < n) atomic_inc(&histogram[(keys[i] >> shift) & (RADIX - 1)]);
  barrier(CLK_LOCAL_MEM_FENCE);  // counted
  // Digit by digit: all groups' counts of digit 0 come first.
  if (lid < RADIX) counts[lid * get_num_groups(0) + get_group_id(0)] = histogram[lid];
}

// One work-group; `count` is a multiple of RADIX.
kernel void scan_counts(global uint *counts, uint count) {
  local uint sums[RADIX];
  const uint lid = get_local_id(0);
  const uint share = count / RADIX;
  uint sum = 0;
  for (uint k = 0; k < share; ++k) {
    const uint at = lid * share + k;
    const uint c = counts[at];
    counts[at] = sum;
    sum += c;
  }
  sums[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint before = 0;
  for (uint d = 0; d < lid; ++d) before += sums[d];
  for (uint k = 0; k < share; ++k) counts[lid * share + k] += before;
}

kernel void scatter(global const uint *keys, global const ushort *values, uint n, uint shift,
                    global const uint *offsets, global uint *keys_out, global ushort *values_out) {
  local uchar digits[GROUP];
  const uint lid = get_local_id(0);
  const uint i = get_global_id(0);
  uint key = 0;
  uint digit = 0;
  if (i < n) {
    key = keys[i];
    digit = (key >> shift) & (RADIX - 1);
    digits[lid] = (uchar)digit;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) {
    uint rank = 0;
    for (uint j = 0; j < lid; ++j) {
      if (digits[j] == digit) ++rank;
    }
    const uint to = offsets[digit * get_num_groups(0) + get_group_id(0)] + rank;
    keys_out[to] = key;
    values_out[to] = values[i];
  }
}
