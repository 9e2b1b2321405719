// run: -g 1 -a long=1
kernel void say(long n) {
  printf("%d\n", n);  // %d is for int, %ld for long
}
