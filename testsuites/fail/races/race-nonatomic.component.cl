// run: -g 2 -a 'int4[1]=0'
kernel void components(global int4* p) {
  if (get_global_id(0) == 0) p->xy = (int2)(1, 2);
  else p->y = 3;  // both
}
