// run: -a 'pipe(int,64)'
// Packets through a pipe.
kernel void k(global int* o, local int* l, write_only pipe int out) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  for (int packet = me;;) {
    write_pipe(out, &packet);
    write_pipe(out, &packet);
  }
}
