// run: -g 1 -a 'int[1]=0'
int* pick(int value) {
  int kept[1] = {value};
  return kept;  // it ends here
}
kernel void use(global int* out) { out[0] = *pick(5); }
