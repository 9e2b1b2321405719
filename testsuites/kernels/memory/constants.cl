// Tables in the constant address space, at program scope and as arguments.
typedef struct {
  int low, high;
  constant char *name;
} Range;

constant uint kPrimes[10] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
constant char kFirst[] = "first";
constant char kSecond[] = "the second";
constant int kGrid[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
constant Range kRanges[3] = {{0, 10, kFirst}, {10, 100, kSecond}, {100, 1000, kFirst + 1}};
constant float4 kWeights[2] = {(float4)(0.5f, 1.0f, 1.5f, 2.0f), (float4)(-1.0f)};
constant int *constant kPointers[2] = {&kGrid[1][2], kGrid[0] + 1};

kernel void tables(global const int *x, constant short *more, global int *out) {
  size_t i = get_global_id(0);
  int v = x[i] & 0x3ff;
  size_t k = i * 6;
  out[k++] = (int)(kPrimes[i % 10] * kPrimes[v % 10]);
  out[k++] = kGrid[i % 3][v % 4] + kGrid[0][11 % 4];
  int length = 0;
  for (int r = 0; r < 3; ++r) {
    if (v < kRanges[r].low || v >= kRanges[r].high) continue;
    for (constant char *c = kRanges[r].name; *c != 0; ++c) length = length * 3 + *c;
  }
  out[k++] = length;
  out[k++] = (int)(kWeights[i % 2].z * 2.0f) + more[i % 8];
  out[k++] = *kPointers[i % 2];
  constant short *p = more + v % 8;
  out[k++] = *p + (int)(p - more);
}
