// run: -g 1 -a 'int[1]=0'
typedef struct { char tag; int value; } Tagged;
kernel void compare(global int* out) {
  Tagged t;
  t.tag = 1;
  t.value = 2;
  if (((char*)&t)[1] == 0) out[0] = 1;  // between the two members there is nothing
}
