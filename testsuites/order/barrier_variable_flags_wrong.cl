// The flags of a barrier are an argument, and name the other memory when it is reached.
// run: -g 64 -l 64 -a 'local(256)' -a 'int[64]=0' -a uint=2
// run: -g 64 -l 64 -a 'local(256)' -a 'int[64]=0' -a uint=2 --compiler clang-22
// due: race-fence-flags
kernel void f(local int *p, global int *out, uint flags)
{
  p[get_local_id(0)] = get_local_id(0);
  barrier(flags);
  out[get_global_id(0)] = p[get_local_id(0) ^ 1];
}
