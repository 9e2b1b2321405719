// run: -g 1
kernel void say() {
  printf("%*d\n", 5, 1);  // OpenCL has no *
}
