// run: -g 4 -a 'int[4]=3,1,0,2'
// What DPC++ makes of assert().
void __devicelib_assert_fail(constant char* text, constant char* file, int line, constant char* of,
                             ulong gx, ulong gy, ulong gz, ulong lx, ulong ly, ulong lz);

kernel void halve(global int* data) {
  size_t i = get_global_id(0);
  if (!(data[i] > 0))  // data[2] is 0
    __devicelib_assert_fail("data[i] > 0", "halve.cpp", 12, "halve", i, 0, 0, i, 0, 0);
  data[i] /= 2;
}
