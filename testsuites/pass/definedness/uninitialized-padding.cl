// run: -g 1 -a 'int[1]=0'
typedef struct { char tag; int value; } Tagged;
kernel void compare(global int* out) {
  Tagged t;
  t.tag = 1;
  t.value = 2;
  if (((char*)&t)[4] == 2) out[0] = 1;
}
