// run: -a 'pipe(int,64)' -a 'int[1]=1'
// Packets into a pipe, beside a count: without it a full pipe would be a livelock.
kernel void k(global int* o, local int* l, write_only pipe int out, global int* count) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  for (int packet = me;;) {
    write_pipe(out, &packet);
    if (atomic_inc(count) == 0) break;
  }
}
