// run: -g 1 -a 'int[1]=0'
kernel void count(global int* out) {
  atomic_fetch_add((global atomic_int*)out, 1);
}
