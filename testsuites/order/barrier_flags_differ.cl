// The flags of a barrier differ between work-items, which have to give the same ones.
// run: -g 64 -l 64 -a 'int[64]=0'
// run: -g 64 -l 64 -a 'int[64]=0' --compiler clang-22
// due: barrier-operands
kernel void f(global int *out)
{
  barrier(get_local_id(0) < 32 ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(0)] = 1;
}
