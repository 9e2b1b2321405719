// run: -g 1 -a 'int[1]=0' --access 0=read-only
kernel void set(global int* data) {
  data[0] = 1;  // the host created it with CL_MEM_READ_ONLY
}
