// run: -g 4 -l 4 -a 'ulong[4]=0x0000048012345678,0x58000000080,0x68000000080,0x78000000080'
// run: -a 'ulong[4]=0' -a 'double[4]=0x58000000080,0x58000000084,0x68000000080,0x68000000084'
// Words of the host that look like addresses, handed on over a barrier.
kernel void exchange(global ulong* in, global ulong* out, global ulong* more) {
  local ulong words[4];
  int table[4] = {1, 2, 3, 4};
  const int i = get_local_id(0);
  words[i] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = words[3 - i] + table[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  words[i] = more[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] += words[3 - i];
}
