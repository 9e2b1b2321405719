// Keeps the particles that are alive, in order: flags are scanned in local memory with vectors of four
// flags a work-item, groups' counts by one work-item, and the survivors move.
typedef struct {
  float2 position;
  int lives;
  int id;
} particle;

#define GROUP 16
#define PER_ITEM 4

uint count_before(local uint *sums, uint lid, uint mine) {
  sums[lid] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);  // counts
  for (uint d = 1; d < GROUP; d *= 2) {
    uint left = 0;
    if (lid >= d) left = sums[lid - d];
    barrier(CLK_LOCAL_MEM_FENCE);  // read
    sums[lid] += left;
    barrier(CLK_LOCAL_MEM_FENCE);  // written
  }
  return sums[lid] - mine;
}

uint4 alive(global const particle *p, uint first, uint n) {
  uint4 flags = (uint4)(0);
  if (first + 0 < n) flags.s0 = p[first + 0].lives > 0;
  if (first + 1 < n) flags.s1 = p[first + 1].lives > 0;
  if (first + 2 < n) flags.s2 = p[first + 2].lives > 0;
  if (first + 3 < n) flags.s3 = p[first + 3].lives > 0;
  return flags;
}

kernel void count_groups(global const particle *in, uint n, global uint *counts) {
  local uint sums[GROUP];
  const uint lid = get_local_id(0);
  const uint4 f = alive(in, PER_ITEM * get_global_id(0), n);
  const uint mine = f.s0 + f.s1 + f.s2 + f.s3;
  const uint before = count_before(sums, lid, mine);
  if (lid == GROUP - 1) counts[get_group_id(0)] = before + mine;
}

kernel void place_groups(global uint *counts, uint groups, global uint *total) {
  uint sum = 0;
  for (uint g = 0; g < groups; ++g) {
    uint c = counts[g];
    counts[g] = sum;
    sum += c;
  }
  *total = sum;
}

kernel void move(global const particle *in, uint n, global const uint *places,
                 global particle *out) {
  local uint sums[GROUP];
  const uint first = PER_ITEM * get_global_id(0);
  const uint4 f = alive(in, first, n);
  uint to = places[get_group_id(0)];
  to += count_before(sums, get_local_id(0), f.s0 + f.s1 + f.s2 + f.s3);
  if (f.s0) out[to++] = in[first];
  if (f.s1) out[to++] = in[first + 1];
  if (f.s2) out[to++] = in[first + 2];
  if (f.s3) out[to++] = in[first + 3];
}
