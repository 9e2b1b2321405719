// Rigid bodies: an array of structures with vectors of three inside and packed vectors of three outside.
// Each body turns its box's corner by its quaternion and keeps the extent of what it reached.
typedef struct {
  float3 position;
  float4 rotation;  // x, y, z: axis; w
  float3 corner;
  float mass;
  int asleep;
} body;

float3 turn(float4 q, float3 v) {
  const float3 t = 2.0f * cross(q.xyz, v);
  return v + q.w * t + cross(q.xyz, t);
}

float4 compose(float4 p, float4 q) {
  return (float4)(p.w * q.xyz + q.w * p.xyz + cross(p.xyz, q.xyz), p.w * q.w - dot(p.xyz, q.xyz));
}

void load_body(private body *out, global const float *position, global const float4 *rotation,
               global const float *corner, uint i) {
  out->position = vload3(i, position);
  out->rotation = rotation[i];
  out->corner = vload3(i, corner);
  out->mass = 1.0f;
  out->asleep = 0;
}

kernel void place(global const float *position, global const float4 *rotation,
                  global const float *corner, uint count, global body *bodies,
                  global float *reached) {
  const uint i = get_global_id(0);
  if (i >= count) return;
  body b;
  load_body(&b, position, rotation, corner, i);
  const float3 r = b.position + turn(b.rotation, b.corner);
  if (all(r == b.position + b.corner)) b.asleep = 1;
  vstore3(r, i, reached);
  bodies[i] = b;
}

// Each body is joined to the next; the pair's rotation, and the sum of what is awake.
kernel void join(global const body *bodies, uint count, global float4 *joined,
                 volatile global int *awake) {
  const uint i = get_global_id(0);
  if (i >= count) return;
  const body b = bodies[i];
  if (!b.asleep) atomic_add(awake, (int)b.mass);
  joined[i] = i + 1 < count ? compose(b.rotation, bodies[i + 1].rotation) : b.rotation;
}
