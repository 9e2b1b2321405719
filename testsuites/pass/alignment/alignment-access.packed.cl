// run: -g 1 -a 'uchar[8]=0'
typedef struct __attribute__((packed)) { char tag; int value; } Packed;
kernel void store(global Packed* p) {
  p->value = 1;
}
