// run: -g 64 -l 64 -a 'int[64]=0' -a int=3
// The caller gives a mode that the kernel promises never to see.

kernel void choose(global int* out, int mode) {
  const size_t i = get_global_id(0);
  switch (mode) {
    case 0: out[i] = 1; break;
    case 1: out[i] = 2; break;
    default: __builtin_unreachable();
  }
}
