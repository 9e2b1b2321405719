// run: -g 1
kernel void say() {
  printf("%s\n", "A");
}
