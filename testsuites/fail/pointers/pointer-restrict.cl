// run: -g 1 -a 'int[2]=3'
void scale(global int* restrict in, global int* restrict out) {
  out[0] = 2 * in[0];
}
kernel void in_place(global int* data) {
  scale(data, data);  // one buffer behind two restrict pointers
}
