// run: -g 1 -a 'int[1]=0'
int* pick(int* kept, int value) {
  kept[0] = value;
  return kept;
}
kernel void use(global int* out) {
  int kept[1];
  out[0] = *pick(kept, 5);
}
