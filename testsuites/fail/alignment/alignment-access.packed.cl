// run: -g 1 -a 'uchar[8]=0'
typedef struct __attribute__((packed)) { char tag; int value; } Packed;
kernel void store(global Packed* p) {
  global int* value = &p->value;  // one byte after the beginning
  *value = 1;
}
