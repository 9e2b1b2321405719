// run: -a 'uchar[1048576]=0' -a 'uchar[1048576]=0'
// Copies of many bytes.
typedef struct { char bytes[1 << 20]; } big;
kernel void k(global int* o, local int* l, global big* to, global big* from) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  for (;;) *to = *from;
}
