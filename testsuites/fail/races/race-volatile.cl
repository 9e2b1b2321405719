// run: -g 64 -l 64 -a 'int[64]=0'
// volatile orders nothing: the flag and the load of it are a race.

kernel void signal(global int* out) {
  volatile global int* flag = out;
  const size_t i = get_global_id(0);
  if (i == 0) {
    flag[0] = 1;
  } else if (i == 1) {
    out[1] = flag[0];
  }
}
