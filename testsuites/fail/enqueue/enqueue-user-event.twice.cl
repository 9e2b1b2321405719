// run: -g 1 -a 'int[4]=0'
kernel void parent(global int* out) {
  clk_event_t gate = create_user_event();
  set_user_event_status(gate, CL_COMPLETE);
  set_user_event_status(gate, -5);  // it is complete already
  release_event(gate);
  out[0] = 1;
}
