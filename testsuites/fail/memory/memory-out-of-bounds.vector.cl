// run: -g 4 -l 4 -a 'float4[4]=0'
kernel void fill(global float4* out) {
  out[get_global_id(0) + 1] = (float4)(1.0f);  // the last one is behind all four
}
