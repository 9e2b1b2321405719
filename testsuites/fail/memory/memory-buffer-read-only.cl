// run: -g 1 -a 'read_only int[1]=0'
kernel void set(global int* data) {
  data[0] = 1;  // the host created it with CL_MEM_READ_ONLY
}
