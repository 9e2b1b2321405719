// The last work-item leaves the others at a barrier.
kernel void diverge(global int* out) {
  int id = get_global_id(0);
  if (id == 3) return;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[id] = id;
}
