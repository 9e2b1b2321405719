// run: -g 1 -a 'write_only int4[1]=0'
kernel void add(global int4* data) {
  data[0].x += 1;  // reads that component
}
