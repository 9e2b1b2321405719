// run: -g 1 -a 'int[1]=0'
kernel void change(global int* data) {
  *data = 1;
}
