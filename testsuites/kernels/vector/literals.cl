// Vector literals of scalars and vectors of several sizes, and scalars widened to vectors.
kernel void literals(global const short *x, global short *out) {
  size_t i = get_global_id(0);
  short s = x[i];
  short2 two = (short2)(s, 5);
  short3 three = (short3)(two, 6);
  short4 four = (short4)(1, two, 2);
  short8 eight = (short8)(three, four, 9);
  short16 sixteen = (short16)(eight, two, four, two);
  short16 same = (short16)(s);
  short16 mixed = (short16)(three.zyx, (short)7, eight.even, (short4)(3), four.wx, two.y, s);
  vstore16(sixteen, 4 * i, out);
  vstore16(same, 4 * i + 1, out);
  vstore16(mixed, 4 * i + 2, out);
  vstore16((same | mixed) - sixteen % (short)100, 4 * i + 3, out);
}
