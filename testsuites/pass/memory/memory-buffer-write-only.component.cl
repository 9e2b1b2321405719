// run: --job memory-buffer-write-only.component.json
kernel void set(global int4* out, global float4* more, int i) {
  out[0].x = 42;  // the other three stay as they are
  out[1].yw = (int2)(1, 2);
  more[0].hi = (float2)(3, 4);
  more[1][i] = 5;
  more[2].xyzw = (float4)(6);
}
