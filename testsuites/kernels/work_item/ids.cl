// What every work-item knows of itself; dimensions that a launch does not have count as one.
kernel void ids(global uint *out) {
  size_t g = ((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) -
              get_global_offset(1)) *
                 get_global_size(0) +
             get_global_id(0) - get_global_offset(0);
  size_t k = g * 20;
  out[k++] = get_work_dim();
  for (uint d = 0; d < 3; ++d) {
    out[k++] = (uint)get_global_id(d);
    out[k++] = (uint)get_global_size(d);
    out[k++] = (uint)get_local_id(d);
    out[k++] = (uint)get_local_size(d);
    out[k++] = (uint)get_num_groups(d);
    out[k++] = (uint)(get_group_id(d) * 100 + get_global_offset(d));
  }
  out[k++] = 0xabcd;
}
