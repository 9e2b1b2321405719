// Variables that an optimizer takes apart: members and elements in registers of their own, some of
// them constants, and numbers that are computed from others.
typedef struct Ball {
  float2 place;
  float speed;
  int bounces;
  uchar tag;
} Ball;

Ball bounce(Ball ball, float time) {
  ball.place.y += ball.speed * time;
  ball.speed -= 0.25f;
  if (ball.place.y < 0.0f) {
    ball.place.y = -ball.place.y;
    ball.speed = -ball.speed;
    ball.bounces += 1;
  }
  return ball;
}

kernel void pieces(global float* out, global const float* in, int n) {
  int id = get_global_id(0);
  Ball ball = {(float2)(in[id], 1.0f), 0.5f, 0, 9};
  float sums[3] = {0.0f, 7.0f, in[0]};
  int steps = n * 4 - 3;  // nothing needs these three
  long far = (long)(n - 9) << 33;
  short mixed = (short)((n ^ 0x55) + 32767);
  for (int k = 0; k < n; ++k) {
    ball = bounce(ball, in[id]);
    short third = (short)(k + 40000);
    bool is_even = (k & 1) == 0;
    ulong wide = (ulong)(uint)k << 32 | (uint)n;
    sums[0] += ball.place.y;
    if (is_even) sums[2] -= ball.speed;
    out[4 + 4 * id + k] = third + (float)(wide >> 31);
  }
  uint both = (uint)ball.bounces * 3 + 5;
  out[id] = sums[0] + sums[1] * sums[2] + both;
  out[2 + id] = ball.place.x + ball.tag + (both >> 1);
}
