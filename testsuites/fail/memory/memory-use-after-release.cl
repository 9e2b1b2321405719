// run: --job memory-use-after-release.json
// The second launch uses local memory of the first.
global ulong kept;
kernel void keep(local int* scratch) { kept = (ulong)scratch; }
kernel void use(global int* out) { out[0] = *(local int*)kept; }
