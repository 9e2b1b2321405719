// run: -g 64 -l 64 -a 'int[64]=0' -a int=3
// The mode is one of those that there are.

kernel void choose(global int* out, int mode) {
  const size_t i = get_global_id(0);
  switch (mode) {
    case 3: out[i] = 1; break;
    case 4: out[i] = 2; break;
    default: __builtin_unreachable();
  }
}
