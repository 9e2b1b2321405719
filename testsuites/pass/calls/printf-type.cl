// run: -g 1 -a long=1
kernel void say(long n) {
  printf("%ld\n", n);
}
