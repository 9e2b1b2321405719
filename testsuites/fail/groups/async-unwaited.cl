// run: -g 4 -l 4 -a 'int[4]=7' -a 'local(16)'
kernel void copy(global int* data, local int* scratch) {
  async_work_group_copy(scratch, data, 4, 0);  // nobody waits for it
}
