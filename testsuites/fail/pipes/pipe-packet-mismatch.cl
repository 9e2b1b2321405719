// run: -g 1 -l 1 -a 'pipe(int4,4)' -a 'int[1]=0'
// The pipe was made for packets of 16 bytes, and the kernel takes int for its type.
kernel void produce(write_only pipe int p, global int* out) {
  int value = 1;
  out[0] = write_pipe(p, &value);
}
