// run: -g 4 -l 4 -a 'float[4]=0' -a 'image1d_buffer(4,R,FLOAT)=buffer(0)' -a 'float[4]=0'
// The image is made from the buffer, and no barrier makes writes to the one visible to reads of the other.

kernel void pass(global const float* data, write_only image1d_buffer_t image, global float* out) {
  int i = get_global_id(0);
  write_imagef(image, i, (float4)(i));
  work_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_IMAGE_MEM_FENCE);
  out[i] = data[3 - i];
}
