// run: -g 1 -a 'int[1]=0'
kernel void change(global const int* data) {
  *(global int*)data = 1;  // the parameter was declared const
}
