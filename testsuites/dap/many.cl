// A million work-items, of which the last one is looked at.
kernel void many(global uchar* out) {
  size_t id = get_global_id(0);
  out[id & 1023] = (uchar)(id >> 3);
}
