// Dimensions that there never are: sizes are 1, ids and offsets 0 (OpenCL C 6.15.1).
kernel void outside(global uint *out, uint first) {
  size_t k = (get_global_id(1) * get_global_size(0) + get_global_id(0)) * 14;
  for (uint d = first; d < first + 2; ++d) {
    out[k++] = (uint)get_global_id(d);
    out[k++] = (uint)get_global_size(d);
    out[k++] = (uint)get_local_id(d);
    out[k++] = (uint)get_local_size(d);
    out[k++] = (uint)get_num_groups(d);
    out[k++] = (uint)get_group_id(d);
    out[k++] = (uint)get_global_offset(d);
  }
}

#define ALL(d)                                                                                   \
  out[k++] = (uint)get_global_id(d), out[k++] = (uint)get_global_size(d),                        \
  out[k++] = (uint)get_local_id(d), out[k++] = (uint)get_local_size(d),                          \
  out[k++] = (uint)get_num_groups(d), out[k++] = (uint)get_group_id(d),                          \
  out[k++] = (uint)get_global_offset(d)

kernel void constants(global uint *out) {
  size_t k = get_global_id(0) * 14;
  ALL(3);
  ALL(0xffffffff);
}
