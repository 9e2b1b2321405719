// run: -g 1 -a 'int[1]=0'
union Bits { float number; int all; };
kernel void widen(global int* out) {
  union Bits bits;
  bits.number = 1;
  if (bits.all == 0x3f800000) out[0] = 1;
}
