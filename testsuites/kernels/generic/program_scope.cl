// OpenCL C 2.0: variables at program scope live as long as the program, from one launch to the next.
global int counter = 5;
global int table[4] = {1, 2, 3, 4};
global int *where = &table[2];
constant int kFactor = 3;

kernel void first(global int *out) {
  out[0] = counter;
  counter += 10;
  *where *= kFactor;
  table[0] = counter;
  where = table;
}

kernel void second(global int *out) {
  out[1] = counter;
  for (int k = 0; k < 4; ++k) out[2 + k] = table[k];
  out[6] = *where;
}
