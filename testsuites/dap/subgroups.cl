kernel void count(global int* out) {
  const int sum = sub_group_reduce_add(1);
  out[get_global_id(0)] = sum;
}
