// run: -g 4 -a 'char[4]=0'
typedef struct {
  int a;
  char b[2];  // and two bytes of padding
} S;
kernel void store(global char* out) {
  volatile S s = {-1, {42, 7}};
  const int i = get_global_id(0);
  s.b[i] = i;
  out[i] = s.b[i];
}
