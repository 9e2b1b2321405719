// One step of gravity between n bodies, tile by tile through local memory.  A body is a float4 with its
// mass in w; bodies beyond the last have no mass.
#pragma OPENCL FP_CONTRACT OFF

float3 pull(float4 body, float4 other, float softening) {
  const float3 d = other.xyz - body.xyz;
  const float r2 = d.x * d.x + d.y * d.y + d.z * d.z + softening;
  const float inverse = rsqrt(r2);
  return d * (other.w * inverse * inverse * inverse);
}

kernel void advance(global const float4 *restrict bodies, global float4 *restrict moved,
                 global float4 *restrict velocity, uint n, float softening, float dt,
                 local float4 *tile) {
  const uint i = get_global_id(0);
  const uint lid = get_local_id(0);
  const uint size = get_local_size(0);
  const float4 body = i < n ? bodies[i] : (float4)(0.0f);

  float3 acceleration = (float3)(0.0f);
  for (uint first = 0; first < n; first += size) {
    tile[lid] = first + lid < n ? bodies[first + lid] : (float4)(0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);  // tile is loaded
    for (uint k = 0; k < size; ++k) acceleration += pull(body, tile[k], softening);
    barrier(CLK_LOCAL_MEM_FENCE);  // tile is done with
  }

  if (i < n) {
    float3 v = velocity[i].xyz + acceleration * dt;
    // What leaves the box comes back.
    float3 p = body.xyz + v * dt;
    if (fabs(p.x) > 1.0f) v.x = -v.x;
    if (fabs(p.y) > 1.0f) v.y = -v.y;
    velocity[i] = (float4)(v, 0.0f);
    moved[i] = (float4)(p, body.w);
  }
}
