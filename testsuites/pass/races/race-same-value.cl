// run: -g 8 -l 8 -a 'int[1]=0'
kernel void mark(global int* found) {
  if (get_local_id(0) == 0) found[0] = 1;
}
