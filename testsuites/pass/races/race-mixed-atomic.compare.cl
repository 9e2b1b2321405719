// run: -g 2 -a 'int[1]=0' -a 'int[1]=0' --build-options -cl-std=CL2.0
kernel void look(global atomic_int* p, global int* out) {
  int wanted = 5;
  if (get_global_id(0) == 1) atomic_compare_exchange_strong(p, &wanted, 6);  // never: it reads
  else out[0] = *(global int*)p;
}
