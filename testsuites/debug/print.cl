// What the debugger's scripts look at where a kernel prints.
kernel void count(global int* out, int n) {
  int i = get_global_id(0);
  for (int k = 0; k < n; ++k) {
    out[i] += k;
    printf("item %d adds %d\n", i, k);
  }
}
