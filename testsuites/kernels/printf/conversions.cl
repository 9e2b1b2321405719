// Every conversion and flag of printf (OpenCL C 6.15.15); one work-item, so that the order is fixed.
kernel void numbers(int n, long l, float f) {
  uint u = (uint)n;
  printf("%d|%5d|%-5d|%05d|%+d|% d|%.3d|%i\n", n, n, n, n, n, n, n, -n);
  printf("%u|%o|%x|%X|%#o|%#x|%8x|%-8X|%08x\n", u, u, u, u, u, u, u, u, u);
  printf("%hhd|%hd|%ld|%lu|%lx|%20ld|\n", (char)n, (short)n, l, (ulong)l, (ulong)l, l);
  printf("%f|%.0f|%10.3f|%-10.2f|%+.1f|%010.4f|% f\n", f, f, f, f, f, f, f);
  printf("%e|%.2E|%g|%G|%.3g|%#g\n", f, f, f, f, f, f);
  printf("%a|%.2a|%A\n", f, f, f);
  printf("%c%c%c|%%|%5c|%-3c|\n", 'a', 'b', n, 'x', 'y');
  printf("%s|%10s|%-6s|%.2s|\n", "text", "right", "left", "cut");
  printf("no arguments\n");
}

kernel void vectors(int4 v, float2 f, uchar4 c) {
  printf("%v2hlf|%.2v2hlf|%v2hlg\n", f, f, f);
  printf("%v4hld|%5v4hlx|%-4v4hld|\n", v, as_uint4(v), v);
  printf("%v4hhd|%v4hhx|%v4hhu\n", as_char4(c), c, c);
  printf("%v3hld\n", v.xyz);
}

kernel void special(global const float *x, int count) {
  for (int k = 0; k < count; ++k) printf("%d: %f %e %g\n", k, x[k], x[k], x[k]);
  for (int k = 0; k < 3; ++k) {
    if (k == 1) continue;
    printf("%s %d\n", k ? "two" : "zero", k);
  }
}
