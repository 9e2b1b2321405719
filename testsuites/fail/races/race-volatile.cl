// run: -g 2 -l 2 -a 'int[1]=0' -a 'int[1]=0'
kernel void signal(volatile global int* flag, global int* out) {
  if (get_local_id(0) == 0) {
    *flag = 1;
  } else {
    out[0] = *flag;  // volatile is not atomic
  }
}
