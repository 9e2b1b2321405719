// run: -g 1 -a 'int[1]=0' -a 'ulong[2]=0'
kernel void parent(global int* out, global ulong* times) {
  clk_event_t gate = create_user_event();
  capture_event_profiling_info(gate, CLK_PROFILING_COMMAND_EXEC_TIME, times);  // no kernel's event
  set_user_event_status(gate, CL_COMPLETE);
  release_event(gate);
  out[0] = 1;
}
