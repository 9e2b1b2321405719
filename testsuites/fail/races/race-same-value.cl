// run: -g 64 -l 64 -a 'int[64]=0'
// Every work-item that finds something says so with the same store: still a race.

kernel void search(global int* out) {
  const size_t i = get_global_id(0);
  if (i % 7 == 3) out[0] = 1;
}
