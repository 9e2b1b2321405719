// run: -g 1 -a 'int[1]=0'
bool before(int* a, int* b) { return a < b; }
kernel void order(global int* data) {
  data[0] = before(data, data + 1);
}
