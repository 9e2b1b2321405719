// run: -g 1 -l 1 -a 'pipe(int,4)=7' -a 'int[1]=0'
// The form without a reservation needs none.
kernel void unreserved(read_only pipe int p, global int* out) {
  int value = 0;
  read_pipe(p, &value);
  out[0] = value;
}
