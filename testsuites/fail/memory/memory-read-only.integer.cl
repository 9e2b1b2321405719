// run: -g 1 -a 'int[4]=1' -a int=2
kernel void change(constant int* table, int i) {
  const ulong address = (ulong)table + 4 * i;
  *(global int*)address = 3;  // it is still constant memory
}
