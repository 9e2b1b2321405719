// One built-in, CALL of a and b, in some code; FAULT is put around its result.
#ifndef FAULT
#define FAULT(value) (value)
#endif
#define SHIFTED(value, steps) (get_global_id(0) == 17 ? as_float(as_int(value) + (steps)) : (value))

kernel void plain(global const float* x, global const float* z, global float* y) {
  size_t i = get_global_id(0);
  float a = x[i], b = z[i];
  y[i] = FAULT(CALL);
}

kernel void scaled(global const float* x, global const float* z, global float* y) {
  size_t i = get_global_id(0);
  float a = x[i], b = z[i];
  float r = FAULT(CALL);
  y[i] = -3.0f * r;
}

kernel void indirect(global const float* x, global const float* z, global float* y) {
  local float tile[64];
  size_t i = get_global_id(0), l = get_local_id(0);
  float a = x[i], b = z[i];
  tile[l] = FAULT(CALL);
  barrier(CLK_LOCAL_MEM_FENCE);
  y[i] = fmax(tile[(l + 1) % get_local_size(0)], -1e30f);
}
