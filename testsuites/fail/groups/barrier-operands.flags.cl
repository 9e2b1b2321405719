// run: -g 64 -l 64 -a 'local(256)' -a 'int[64]=0' -a uint=1
// Odd work-items ask for global memory to be ordered, even ones for what the argument says.
kernel void swap(local int* tile, global int* out, uint flags) {
  const uint i = get_local_id(0);
  tile[i] = i;
  barrier(i % 2 == 0 ? flags : CLK_GLOBAL_MEM_FENCE);
  out[i] = tile[i ^ 1];
}
