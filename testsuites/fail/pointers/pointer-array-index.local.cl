// run: -g 8 -l 8 -a 'int[8]=0'
// only: clang-15
// Since LLVM 16, SPIR-V does not say where an array becomes a pointer to its first element.
kernel void columns(global int* out) {
  local int tile[3][8];
  const int i = get_local_id(0);
  tile[0][i] = i;
  tile[1][i] = i;
  tile[2][i] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = *(tile[1] + i + 1);  // the last one's is in the next row
}
