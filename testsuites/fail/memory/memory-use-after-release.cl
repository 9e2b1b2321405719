// run: -g 2 -l 1 --threads 1 -a 'ulong[1]=0' -a 'int[2]=0' -a 'local(4)'
// The second work-group uses the local memory of the first.
kernel void leak(global ulong* kept, global int* out, local int* mine) {
  *mine = 1;
  if (get_group_id(0) == 0) {
    kept[0] = (ulong)mine;
  } else if (kept[0] != 0) {
    out[1] = *(local int*)kept[0];
  }
}
