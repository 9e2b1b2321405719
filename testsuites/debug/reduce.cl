// What the debugger's scripts look at: structures, pointers, local memory, barriers and calls.
typedef struct {
  int count;
  float2 range;
  uchar tag[3];
} Summary;

enum Mode { kSum, kProduct = 5 };

constant float weights[3] = {1.0f, 2.0f, 0.1f};

float square(float x) {
  float y = x * x;
  return y;
}

__attribute__((noinline)) void note(Summary* summary, float value) {
  summary->count += 1;
  summary->range.x = fmin(summary->range.x, value);
  summary->range.y = fmax(summary->range.y, value);
}

kernel void reduce(global float* out, global const float* in, local float* scratch, float scale) {
  size_t id = get_global_id(0);
  size_t lid = get_local_id(0);
  Summary summary = {0, (float2)(0.0f, 0.0f), {1, 2, 3}};
  enum Mode mode = kProduct;
  float sum = 0.0f;
  for (int k = 0; k < 3; ++k) {
    float term = square(in[id] + k) * weights[k];
    note(&summary, term);
    sum += term;
  }
  scratch[lid] = sum * scale;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid == 0) {
    float total = 0.0f;
    for (size_t i = 0; i < get_local_size(0); ++i) total += scratch[i];
    out[get_group_id(0)] = total + summary.count + mode;
  }
}
