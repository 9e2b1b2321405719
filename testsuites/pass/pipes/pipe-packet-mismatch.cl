// run: -g 1 -l 1 -a 'pipe(int4,4)' -a 'int[1]=0'
// Another type of the same size.
kernel void produce(write_only pipe float4 p, global int* out) {
  float4 value = 1;
  out[0] = write_pipe(p, &value);
}
