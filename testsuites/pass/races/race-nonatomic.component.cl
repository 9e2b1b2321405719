// run: -g 4 -l 2 -a 'int4[2]=0' -a 'int4[1]=0'
// Each work-item reads and writes a component of its own.
kernel void components(global int4* p, global int4* q) {
  switch (get_global_id(0)) {
    case 0: p[0].x += 1; q->s0 = p[1].x; break;
    case 1: p[0].y = 2; q->s1 = p[1].x; break;
    case 2: p[0].zw = p[1].xy; break;
    default: p[1].z = p[1].w; break;
  }
}
