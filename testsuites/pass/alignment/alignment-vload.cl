// run: -g 1 -a 'uchar[24]=0' -a 'int4[1]=0'
kernel void load(global uchar* bytes, global int4* out) {
  out[0] = vload4(0, (global int*)(bytes + 4));  // one int is enough
}
