// run: -g 1 -l 1 -a float4=1,2,3,4
// A vector of four is printed as one of two.

kernel void show(float4 value) { printf("%v2hlf\n", value); }
