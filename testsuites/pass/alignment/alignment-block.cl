// run: -g 16 -l 16 --sub-group-size 16 -a 'uint[16]=0' -a 'uint[17]=1' -a 'uchar[20]=1' -a 'ulong[16]=2' -a 'ushort[40]=0'
// A read of any element begins at a multiple of 4 bytes, a write at one of 16.
kernel void read(global uint* out, const global uint* in, const global uchar* bytes,
                 const global ulong* longs, global ushort* shorts) {
  const uint sum = intel_sub_group_block_read(in + 1) + intel_sub_group_block_read_uc(bytes + 4);
  intel_sub_group_block_write(out, sum + (uint)intel_sub_group_block_read_ul(longs));
  intel_sub_group_block_write_us2(shorts + 8, (ushort2)(1, 2));
}
