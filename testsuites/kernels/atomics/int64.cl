#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void wide_counters(global const long *x, volatile global long *c, volatile global ulong *u) {
  long v = x[get_global_id(0)] / 1000;
  ulong w = (ulong)v;
  atom_add(&c[0], v);
  atom_sub(&c[1], v);
  atom_inc(&c[2]);
  atom_dec(&c[3]);
  atom_min(&c[4], v);
  atom_max(&c[5], v);
  atom_or(&c[6], v & 0x5555555555l);
  atom_xor(&c[7], v);
  atom_min(&u[0], w);
  atom_max(&u[1], w);
  atom_and(&u[2], ~(w & 0xff00ff00ff00ul));
  atom_add(&u[3], w);
}
