// run: -g 1
kernel void say() {
  printf("%5d\n", 1);
}
