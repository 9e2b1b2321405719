// run: -g 32 -l 32 --sub-group-size 8 --forward-progress sub-group -a 'int[1]=0' -a 'int[32]=0'
kernel void meet(volatile global int* arrived, global int* seen) {
  // All of a sub-group have arrived before the first of them looks.
  atomic_inc(arrived);
  while (atomic_add(arrived, 0) < 32) {}
  seen[get_global_id(0)] = 1;
}
