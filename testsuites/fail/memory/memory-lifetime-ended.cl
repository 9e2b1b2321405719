// run: -g 1 -a 'int[1]=0' -a int=1
int* pick(int which) {
  int kept[2] = {5, 6};
  return kept + which;  // they end here
}
kernel void use(global int* out, int which) { out[0] = *pick(which); }
