// run: -g 1 -a 'int[4]=0'
kernel void walk(global int* data) {
  global int* end = data + 5;  // one behind the end is as far as a pointer goes
  data[0] = (int)(end - data);
}
