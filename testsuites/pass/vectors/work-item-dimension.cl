// run: -g 1 -a 'ulong[1]=0' -a uint=2
kernel void size(global ulong* out, uint dimension) {
  out[0] = get_global_size(dimension);
}
