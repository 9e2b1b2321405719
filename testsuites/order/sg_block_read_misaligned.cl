// A sub-group reads a block at an address that is no multiple of 4.
// run: -g 16 -l 16 --sub-group-size 16 -a 'uint[16]=0' -a 'uint[32]=1'
// due: alignment-block
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
uint __attribute__((overloadable)) intel_sub_group_block_read(const global uint *p);
kernel void f(global uint *out, global uchar *s)
{
  out[get_global_id(0)] = intel_sub_group_block_read((const global uint *)(s + 2));
}
