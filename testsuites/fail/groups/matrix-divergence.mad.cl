// run: -g 8 -l 8 --sub-group-size 8 -a 'int8[8]=0x3c003c00' -a 'int8[8]=0x3c003c00' -a 'float8[8]=1'
// Half of the sub-group does not come to the product.

kernel void multiply(global int8* a, global int8* b, global float8* c) {
  const int i = get_local_id(0);
  if (i < 4) c[i] = intel_sub_group_f16_f16_matrix_mad_k16(a[i], b[i], c[i]);
}
