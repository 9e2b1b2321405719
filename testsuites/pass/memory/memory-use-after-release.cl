// run: -g 2 -l 1 -a 'int[2]=0' -a 'local(4)'
kernel void own(global int* out, local int* mine) {
  *mine = 1;
  out[get_group_id(0)] = *(local int*)(ulong)mine;
}
