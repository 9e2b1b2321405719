// run: -g 1 -a 'int[1]=0' --access 0=write-only
kernel void add(global int* data) {
  data[0] += 1;  // that reads, and the host created it with CL_MEM_WRITE_ONLY
}
