// run: -g 1 -a 'int[1]=0'
int pick(int value) {
  int kept = value;
  int* p = &kept;
  return *p;
}
kernel void use(global int* out) { out[0] = pick(5); }
