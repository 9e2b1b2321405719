// run: --job memory-buffer-write-only.whole.json
kernel void change(global volatile int4* p, global volatile int3* q) {
  int4 all = *p;
  *p = (int4)(0);
  all.x = 1;
  *p = all;  // puts the others back, also where LLVM makes one chain of all this
  q[0].y = 2;
  q[0].zx = (int2)(3, 4);
}
