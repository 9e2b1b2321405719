// Particles under drag that bounce off the walls of a box: structures are copied, given to
// functions and returned by value.
typedef struct {
  float4 place;
  float4 velocity;
  float mass;
  uint bounces;
} Particle;

float Reflect(float* place, float* velocity, float limit) {
  if (fabs(*place) <= limit) return 0;
  *place = copysign(2 * limit - fabs(*place), *place);
  *velocity = -*velocity;
  return 1;
}

Particle Move(Particle particle, float step) {
  const float4 drag = particle.velocity * (-0.1f / particle.mass);
  particle.velocity += (drag + (float4)(0, -9.81f, 0, 0)) * step;
  particle.place += particle.velocity * step;
  float x = particle.place.x, y = particle.place.y;
  float u = particle.velocity.x, v = particle.velocity.y;
  particle.bounces += (uint)(Reflect(&x, &u, 1) + Reflect(&y, &v, 1));
  particle.place.xy = (float2)(x, y);
  particle.velocity.xy = (float2)(u, v);
  return particle;
}

kernel void particles(global Particle* all, float step, int steps) {
  Particle particle = all[get_global_id(0)];
  for (int i = 0; i < steps; ++i) particle = Move(particle, step);
  all[get_global_id(0)] = particle;
}
