// run: -g 1 -l 1 -a float4=1,2,3,4
// The vector specifier and the length modifier are those of float4.

kernel void show(float4 value) { printf("%v4hlf\n", value); }
