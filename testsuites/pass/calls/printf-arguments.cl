// run: -g 1
kernel void say() {
  printf("%d of %d\n", 1, 2);
}
