// run: -g 4096 -l 64 -a 'ulong[4096]=0' -a 'uint[4096]=0'
// A count and an index in one number, whose high bits look like those of an address.
kernel void scan(global ulong* packed, global uint* out) {
  const uint i = get_global_id(0), l = get_local_id(0);
  int table[4] = {1, 2, 3, 4};
  packed[i] = (ulong)i << 32 | l;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[i] = (uint)(packed[i ^ 1] >> 32) + table[l & 3];
}
