// run: -g 2 -l 2 -a 'pipe(int,8)=1,2,3,4' -a 'int[2]=0'
// The work-item that finds a 3 returns without a commit.
kernel void consume(read_only pipe int p, global int* out) {
  reserve_id_t id = reserve_read_pipe(p, 2);
  if (!is_valid_reserve_id(id)) return;
  int first = 0;
  read_pipe(p, id, 0, &first);
  out[get_global_id(0)] = first;
  if (first == 3) return;
  commit_read_pipe(p, id);
}
