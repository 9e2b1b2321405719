// run: -g 1 -a 'int[2]=3'
void scale(global int* restrict in, global int* restrict out) {
  out[0] = 2 * in[0];
}
kernel void side_by_side(global int* data) {
  scale(data, data + 1);
}
