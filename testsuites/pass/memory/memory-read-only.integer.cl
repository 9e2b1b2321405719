// run: -g 1 -a 'int[4]=1' -a int=2 -a 'buffer(0)'
kernel void change(constant int* table, int i, global int* same) {
  const ulong address = (ulong)same + 4 * i;
  *(global int*)address = 3;
}
