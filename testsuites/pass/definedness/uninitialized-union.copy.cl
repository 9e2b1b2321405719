// run: -g 1 -a 'int[1]=0' -a 'int[2]=0' -a 'int[2]=0'
// Whole unions and structures are copied, whatever they hold; a number is used where all of it was
// written.
union Bits { short half_of_it; int all; };
typedef struct { char tag; int value; } Tagged;
Tagged made(int value) {
  Tagged t;
  t.tag = 1;
  t.value = value;
  return t;
}
kernel void copy(global int* out, global union Bits* unions, global Tagged* tagged) {
  union Bits bits, other;
  bits.half_of_it = 1;
  other = bits;
  unions[0] = other;
  tagged[0] = made(2);
  other.all = 5;
  out[0] = other.all + made(3).value + (bits.half_of_it & 0xff);
}
