// run: -g 4 -l 4 -a 'int[4]=range(1,1)' -a 'pipe(int,4)'
// The reservation is kept in local memory, where one work-item stores it.
kernel void produce(global const int* in, write_only pipe int p) {
  local reserve_id_t kept;
  reserve_id_t id = work_group_reserve_write_pipe(p, get_local_size(0));
  if (get_local_id(0) == 0) kept = id;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!is_valid_reserve_id(kept)) return;
  int value = in[get_global_id(0)];
  write_pipe(p, kept, get_local_id(0), &value);
  work_group_commit_write_pipe(p, kept);
}
