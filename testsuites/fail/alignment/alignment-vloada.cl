// run: -g 1 -a 'half[8]=0' -a 'float4[1]=0'
kernel void load(global half* in, global float4* out) {
  out[0] = vloada_half4(0, in + 2);  // not a multiple of four halves
}
