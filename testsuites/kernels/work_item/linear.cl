// OpenCL C 2.0: linear ids, and work-groups that end at the end of the index space.
kernel void linear(global uint *out) {
  size_t k = get_global_linear_id() * 6;
  out[k++] = (uint)get_local_linear_id();
  out[k++] = (uint)get_enqueued_local_size(0);
  out[k++] = (uint)get_local_size(0);
  out[k++] = (uint)get_local_size(1);
  out[k++] = (uint)get_num_groups(0);
  out[k++] = (uint)get_group_id(1);
}
