// run: -g 1 -a 'write_only int[1]=0'
kernel void add(global int* data) {
  data[0] += 1;  // that reads, and the host created it with CL_MEM_WRITE_ONLY
}
