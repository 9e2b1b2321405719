// run: -g 1 -a 'ulong[1]=0' -a uint=3
kernel void size(global ulong* out, uint dimension) {
  out[0] = get_global_size(dimension);  // dimensions are 0, 1 and 2
}
