// run: -g 1 -a 'int[1]=0' -a int=2
kernel void last(global int* out, int count) {
  int square = 0;
  int* kept = 0;
  for (int i = 0; i < count; ++i) {
    square = i * i;
    kept = &square;
  }
  out[0] = *kept;
}
