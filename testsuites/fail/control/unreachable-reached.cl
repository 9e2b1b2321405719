// run: -g 1 -a 'int[1]=0' -a int=3
kernel void choose(global int* out, int way) {
  switch (way) {
    case 0:
      out[0] = 1;
      break;
    case 1:
      out[0] = 2;
      break;
    default:
      __builtin_unreachable();  // 3 comes here
  }
}
