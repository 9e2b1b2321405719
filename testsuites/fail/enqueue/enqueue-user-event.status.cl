// run: -g 1 -a 'int[4]=0'
kernel void parent(global int* out) {
  clk_event_t gate = create_user_event();
  set_user_event_status(gate, CL_RUNNING);  // neither CL_COMPLETE nor negative
  set_user_event_status(gate, CL_COMPLETE);
  release_event(gate);
  out[0] = 1;
}
