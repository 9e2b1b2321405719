// Runs until somebody stops it, as far as a test is concerned.
kernel void spin(global uint* out, uint n) {
  uint x = out[get_global_id(0)] + 1u;
  for (uint i = 0; i < n; ++i) {
    x = x * 1664525u + 1013904223u;
  }
  out[get_global_id(0)] = x;
}
