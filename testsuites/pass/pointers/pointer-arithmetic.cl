// run: -g 1 -a 'int[4]=0'
kernel void walk(global int* data) {
  global int* end = data + 4;
  data[0] = (int)(end - data);
}
