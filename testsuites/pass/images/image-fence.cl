// run: -g 4 -l 4 -a 'image2d(4x1,RGBA,UNORM_INT8)=0' -a 'float[4]=0'
// The fence makes the write visible to the read.

kernel void twice(read_write image2d_t image, global float* out) {
  int2 at = (int2)(get_global_id(0), 0);
  write_imagef(image, at, (float4)(0.5f));
  atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
  out[at.x] = read_imagef(image, at).x;
}
