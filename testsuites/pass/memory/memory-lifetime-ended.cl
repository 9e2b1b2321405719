// run: -g 1 -a 'int[1]=0' -a int=1
int* pick(int* kept, int which) {
  kept[0] = 5;
  kept[1] = 6;
  return kept + which;
}
kernel void use(global int* out, int which) {
  int kept[2];
  out[0] = *pick(kept, which);
}
