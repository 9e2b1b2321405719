kernel void any_above(global const float* x, float limit, global int* found) {
  if (x[get_global_id(0)] > limit) *found = 1;
}
