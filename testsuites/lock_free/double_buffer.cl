// Iterations of a stencil in two rows of local memory, with one barrier an iteration.
//
// Source: OpenCL API 3.3.6.7.
// Launch: one work-group of eight.
// Weakened: ONE_ROW: a neighbour is overwritten while it is read. FLAGS=CLK_GLOBAL_MEM_FENCE: the rows are in local memory.
kernel void f(global uint *out)
{
  local uint row[2][8];
  const uint l = get_local_id(0);
  row[0][l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < 3; ++k) {
#ifdef ONE_ROW
    const uint a = 0, b = 0;
#else
    const uint a = k & 1, b = a ^ 1;
#endif
    row[b][l] = row[a][(l + 1) & 7] + row[a][(l + 7) & 7];
    barrier(
#ifdef FLAGS
        FLAGS
#else
        CLK_LOCAL_MEM_FENCE
#endif
    );
  }
  out[l] = row[1][l];
}
