// run: -g 1 -l 1 -a 'pipe(int,4)=7' -a 'int[1]=0'
// The packet is read by a reservation, and nothing was reserved.
kernel void unreserved(read_only pipe int p, global int* out) {
  int value = 0;
  read_pipe(p, CLK_NULL_RESERVE_ID, 0, &value);
  out[0] = value;
}
