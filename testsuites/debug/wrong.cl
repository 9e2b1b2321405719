// What the debugger's scripts look at where a kernel does something wrong.
kernel void wrong(global int* out, int n) {
  int i = get_global_id(0);
  int x;
  if (i > n) x = 3;
  out[i] = x;
  if (i == 2) out[n + 4] = i;
}
