// run: -g 1 -a 'ulong[2]=0'
kernel void keep(global ulong* data) {
  data[0] = (ulong)(data + 1);
  *(global ulong*)data[0] = 1;
}
