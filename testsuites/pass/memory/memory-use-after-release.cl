// run: --job memory-use-after-release.json
global ulong kept;
kernel void keep(global int* out) { kept = (ulong)out; }
kernel void use(global int* out) { out[0] = *(global int*)kept; }
