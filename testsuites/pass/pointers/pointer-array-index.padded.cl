// run: -g 4 -a 'char[4]=0'
typedef struct {
  int a;
  char b[2];
} S;
kernel void store(global char* out) {
  volatile S s = {-1, {42, 7}};
  const int i = get_global_id(0);
  s.b[i & 1] = i;
  out[i] = s.b[i & 1];
}
