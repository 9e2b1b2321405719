// run: -g 8 -l 8 -a 'int[8]=0'
// The compiler makes an address of the first element of such a cast.
constant int table[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
kernel void flat(global int* out) {
  local int tile[2][4];
  const int i = get_local_id(0);
  ((local int*)tile)[i] = ((constant int*)table)[7 - i];
  out[i] = ((local int*)tile)[i];
}
