// run: -g 1 -a 'int[1]=0' -a 'local(4)'
bool before(int* a, int* b) { return a < b; }
kernel void order(global int* data, local int* scratch) {
  data[0] = before(data, scratch);  // global before local?
}
