// run: -g 2 -a 'int[2]=0' -a 'long[2]=0'
union Bits { char few[6]; int4 numbers; long whole; };
typedef struct { int tag; union Bits bits[2]; } Tagged;
kernel void widen(global int* out, global long* longs) {
  const int i = get_global_id(0);
  Tagged t;
  for (int j = 0; j < 6; ++j) t.bits[1].few[j] = j;
  out[i] = t.bits[1].numbers.y;  // of its second component two bytes were written
  longs[i] = t.bits[1].whole;
}
