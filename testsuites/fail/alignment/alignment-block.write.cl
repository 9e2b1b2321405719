// run: -g 8 -l 8 --sub-group-size 8 -a 'ushort[24]=0'
kernel void write(global ushort* out) {
  const ushort2 two = (ushort2)(1, 2);
  intel_sub_group_block_write_us2(out + 4, two);  // eight bytes on: not a multiple of 16
}
