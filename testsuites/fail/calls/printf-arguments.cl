// run: -g 1
kernel void say() {
  printf("%d of %d\n", 1);  // the second number is missing
}
