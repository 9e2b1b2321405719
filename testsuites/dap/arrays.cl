// An array with more elements than one list shows.
kernel void arrays(global float* out, global const int* in) {
  int table[3000];
  for (int i = 0; i < 3000; ++i) table[i] = i * i;
  int depth = 1;
  {
    int depth = 2;
    out[get_global_id(0)] = table[in[0]] + depth;
  }
  out[0] += depth;
}
