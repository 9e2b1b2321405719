// run: -g 1 -a 'int[1]=0'
union Bits { short half_of_it; int all; };
kernel void widen(global int* out) {
  union Bits bits;
  bits.half_of_it = 1;
  out[0] = bits.all;  // two of its four bytes were written
}
