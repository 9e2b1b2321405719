// run: -g 16 -l 16 --sub-group-size 16 -a 'uint[16]=0' -a 'uint[17]=1'
kernel void read(global uint* out, const global uint* in) {
  const global char* between = (const global char*)in + 2;
  out[get_global_id(0)] = intel_sub_group_block_read((const global uint*)between);
}
