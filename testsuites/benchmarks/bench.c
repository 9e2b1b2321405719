/* OpenCL 1.2 micro-benchmarks: host driver.  See README.md. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static cl_platform_id plat;
static cl_device_id dev;
static cl_context ctx;
static cl_command_queue q;
static cl_kernel made_kernel;
static cl_mem made_buffers[8]; /* released at the end */
static int made_buffer_count;
static const char* dir = ".";
static const char*
    dump; /* folder for the initial contents of buffers, one file each: 0.bin, 1.bin, ... */
static double build_s, kernel_s, event_s,
    cpu_s; /* cpu_s: CPU seconds of this process (all threads) inside kernel_s */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

#define CK(e)                                                          \
  do {                                                                 \
    cl_int e_ = (e);                                                   \
    if (e_) {                                                          \
      fprintf(stderr, "%s:%d: CL error %d\n", __FILE__, __LINE__, e_); \
      exit(2);                                                         \
    }                                                                  \
  } while (0)

static void init(const char* want) {
  cl_platform_id ps[16];
  cl_uint n = 0;
  CK(clGetPlatformIDs(16, ps, &n));
  for (cl_uint i = 0; i < n; i++) {
    char name[256] = "";
    clGetPlatformInfo(ps[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
    cl_uint nd = 0;
    if (want && !strstr(name, want)) continue;
    if (clGetDeviceIDs(ps[i], CL_DEVICE_TYPE_ALL, 1, &dev, &nd) || !nd) continue;
    plat = ps[i];
    printf("platform=%s\n", name);
    break;
  }
  if (!plat) {
    fprintf(stderr, "no platform matching %s\n", want ? want : "(any)");
    exit(2);
  }
  cl_int e;
  ctx = clCreateContext(NULL, 1, &dev, NULL, NULL, &e);
  CK(e);
  q = clCreateCommandQueue(ctx, dev, CL_QUEUE_PROFILING_ENABLE, &e);
  CK(e);
}

static cl_kernel load(const char* file, const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", dir, file);
  FILE* f = fopen(path, "rb");
  if (!f) {
    perror(path);
    exit(2);
  }
  static char src[65536];
  size_t len = fread(src, 1, sizeof src - 1, f);
  fclose(f);
  src[len] = 0;
  const char* s = src;
  cl_int e;
  double t = now();
  cl_program p = clCreateProgramWithSource(ctx, 1, &s, &len, &e);
  CK(e);
  if (clBuildProgram(p, 1, &dev, "", NULL, NULL)) {
    static char log[65536];
    clGetProgramBuildInfo(p, dev, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%s\n", log);
    exit(2);
  }
  build_s += now() - t;
  cl_kernel k = clCreateKernel(p, name, &e);
  CK(e);
  clReleaseProgram(p); /* the kernel keeps it */
  made_kernel = k;
  return k;
}

static cl_mem buf(size_t n, const void* init) {
  cl_int e;
  cl_mem m = clCreateBuffer(ctx, CL_MEM_READ_WRITE | (init ? CL_MEM_COPY_HOST_PTR : 0), n,
                            (void*)init, &e);
  CK(e);
  made_buffers[made_buffer_count++] = m;
  static int number;
  if (dump && init) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.bin", dump, number++);
    FILE* f = fopen(path, "wb");
    if (!f || fwrite(init, 1, n, f) != n || fclose(f)) {
      perror(path);
      exit(2);
    }
  }
  return m;
}

static void run(cl_kernel k, int dim, size_t gx, size_t gy, size_t lx, size_t ly) {
  size_t g[2] = {gx, gy}, l[2] = {lx, ly};
  cl_event ev;
  double t = now(), c = cpu();
  CK(clEnqueueNDRangeKernel(q, k, dim, NULL, g, l, 0, NULL, &ev));
  CK(clFinish(q));
  kernel_s += now() - t;
  cpu_s += cpu() - c;
  cl_ulong a = 0, b = 0;
  clGetEventProfilingInfo(ev, CL_PROFILING_COMMAND_START, 8, &a, NULL);
  clGetEventProfilingInfo(ev, CL_PROFILING_COMMAND_END, 8, &b, NULL);
  event_s += (b - a) * 1e-9;
  clReleaseEvent(ev);
}

static void get(cl_mem m, void* p, size_t n) {
  CK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, n, p, 0, NULL, NULL));
}

static void release(void) {
  clReleaseKernel(made_kernel);
  for (int i = 0; i < made_buffer_count; i++) clReleaseMemObject(made_buffers[i]);
  clReleaseCommandQueue(q);
  clReleaseContext(ctx);
}

static uint32_t rs = 12345;
static uint32_t rnd(void) {
  rs ^= rs << 13;
  rs ^= rs >> 17;
  rs ^= rs << 5;
  return rs;
}
static float rndf(void) { return (rnd() >> 8) * (1.0f / 16777216.0f); }
static float* fvec(size_t n, float lo, float hi) {
  float* p = malloc(n * 4);
  for (size_t i = 0; i < n; i++) p[i] = lo + (hi - lo) * rndf();
  return p;
}
static uint64_t fnv(const void* p, size_t n) {
  uint64_t h = 1469598103934665603ull;
  for (size_t i = 0; i < n; i++) h = (h ^ ((const uint8_t*)p)[i]) * 1099511628211ull;
  return h;
}
static double fsum(const float* p, size_t n) {
  double s = 0;
  for (size_t i = 0; i < n; i++) s += p[i];
  return s;
}
static double usum(const uint32_t* p, size_t n) {
  double s = 0;
  for (size_t i = 0; i < n; i++) s += (double)p[i] * (i % 97 + 1);
  return s;
}

#define ARG(k, i, v) CK(clSetKernelArg(k, i, sizeof(v), &(v)))
/* native reference bodies, compiled with this file's -O flags */
#include "native.h"

/* what is asked for (n and wg: 0 stands for the workload's own), and what a workload leaves */
static const char *w, *want;
static size_t n, bytes, items;
static int wg, native, reps = 1;
static void* out;
static double sum;

#define IS(s) !strcmp(w, s)
#define REP for (int r_ = 0; r_ < reps; r_++)
#define NAT(call)                  \
  do {                             \
    double t_ = now(), c_ = cpu(); \
    call;                          \
    kernel_s += now() - t_;        \
    cpu_s += cpu() - c_;           \
  } while (0)
static void bench_vecadd_or_saxpy(void) {
  if (!n) n = 1 << 20;
  if (!wg) wg = 64;
  items = n;
  bytes = n * 4;
  float *a = fvec(n, -1, 1), *b = fvec(n, -1, 1), *c = malloc(bytes), alpha = 1.5f;
  if (native) {
    if (IS("vecadd"))
      NAT(n_vecadd(n, a, b, c));
    else {
      memcpy(c, b, bytes);
      NAT(n_saxpy(n, alpha, a, c));
    }
  } else {
    cl_kernel k = load("vecadd.cl", w);
    cl_mem ma = buf(bytes, a), mb = buf(bytes, b);
    if (IS("vecadd")) {
      cl_mem mc = buf(bytes, NULL);
      ARG(k, 0, ma);
      ARG(k, 1, mb);
      ARG(k, 2, mc);
      REP run(k, 1, n, 1, wg, 1);
      get(mc, c, bytes);
    } else {
      ARG(k, 0, alpha);
      ARG(k, 1, ma);
      ARG(k, 2, mb);
      REP run(k, 1, n, 1, wg, 1);
      get(mb, c, bytes);
    }
  }
  out = c;
  sum = fsum(c, n);
}

static void bench_sgemm(void) {
  if (!n) n = 256;
  if (!wg) wg = 16;
  items = n * n;
  bytes = n * n * 4;
  float *a = fvec(n * n, -1, 1), *b = fvec(n * n, -1, 1), *c = malloc(bytes);
  int in = n;
  if (native)
    NAT(n_sgemm(n, a, b, c));
  else {
    cl_kernel k = load("sgemm.cl", w);
    cl_mem ma = buf(bytes, a), mb = buf(bytes, b), mc = buf(bytes, NULL);
    ARG(k, 0, in);
    ARG(k, 1, ma);
    ARG(k, 2, mb);
    ARG(k, 3, mc);
    REP run(k, 2, n, n, wg, wg);
    get(mc, c, bytes);
  }
  out = c;
  sum = fsum(c, n * n);
}

static void bench_nbody(void) {
  if (!n) n = 4096;
  if (!wg) wg = 64;
  items = n;
  bytes = n * 16;
  float *pos = fvec(n * 4, -1, 1), *vel = fvec(n * 4, -0.1f, 0.1f), *np = malloc(bytes);
  for (size_t i = 0; i < n; i++) pos[4 * i + 3] = 0.5f + 0.5f * fabsf(pos[4 * i + 3]);
  int in = n;
  float dt = 0.01f, eps2 = 0.01f;
  if (native)
    NAT(n_nbody(n, dt, eps2, pos, vel, np));
  else {
    cl_kernel k = load("nbody.cl", "nbody");
    cl_mem mp = buf(bytes, pos), mv = buf(bytes, vel), mn = buf(bytes, NULL);
    ARG(k, 0, in);
    ARG(k, 1, dt);
    ARG(k, 2, eps2);
    ARG(k, 3, mp);
    ARG(k, 4, mv);
    ARG(k, 5, mn);
    REP run(k, 1, n, 1, wg, 1);
    get(mn, np, bytes);
  }
  out = np;
  sum = fsum(np, n * 4);
}

static void bench_mandel(void) {
  if (!n) n = 512;
  if (!wg) wg = 16;
  items = n * n;
  bytes = n * n * 4;
  int *o = malloc(bytes), W = n, H = n, M = 256;
  if (native)
    NAT(n_mandel(W, H, M, o));
  else {
    cl_kernel k = load("mandel.cl", "mandel");
    cl_mem mo = buf(bytes, NULL);
    ARG(k, 0, W);
    ARG(k, 1, H);
    ARG(k, 2, M);
    ARG(k, 3, mo);
    REP run(k, 2, n, n, wg, wg);
    get(mo, o, bytes);
  }
  out = o;
  sum = 0;
  for (size_t i = 0; i < n * n; i++) sum += o[i];
}

static void bench_reduce(void) {
  if (!n) n = 1 << 20;
  if (!wg) wg = 256;
  items = n;
  bytes = n / wg * 4;
  float *a = fvec(n, -1, 1), *o = malloc(bytes);
  if (native)
    NAT(n_reduce(n, wg, a, o));
  else {
    cl_kernel k = load("reduce.cl", "reduce");
    cl_mem ma = buf(n * 4, a), mo = buf(bytes, NULL);
    ARG(k, 0, ma);
    ARG(k, 1, mo);
    CK(clSetKernelArg(k, 2, wg * 4, NULL));
    REP run(k, 1, n, 1, wg, 1);
    get(mo, o, bytes);
  }
  out = o;
  sum = fsum(o, n / wg);
}

static void bench_hist(void) {
  if (!n) n = 1 << 20;
  if (!wg) wg = 64;
  items = n;
  bytes = 1024;
  uint32_t *a = malloc(n * 4), *o = calloc(256, 4);
  for (size_t i = 0; i < n; i++) a[i] = rnd() >> 11;
  if (native)
    NAT(n_hist(n, a, o));
  else {
    cl_kernel k = load("hist.cl", "hist");
    cl_mem ma = buf(n * 4, a), mo = buf(bytes, o);
    ARG(k, 0, ma);
    ARG(k, 1, mo);
    REP run(k, 1, n, 1, wg, 1);
    get(mo, o, bytes);
  }
  out = o;
  sum = usum(o, 256);
}

static void bench_transc(void) {
  if (!n) n = 1 << 20;
  if (!wg) wg = 64;
  items = n;
  bytes = n * 4;
  float *a = fvec(n, 0.001f, 10.0f), *o = malloc(bytes);
  if (native)
    NAT(n_transc(n, a, o));
  else {
    cl_kernel k = load("transc.cl", "transc");
    cl_mem ma = buf(bytes, a), mo = buf(bytes, NULL);
    ARG(k, 0, ma);
    ARG(k, 1, mo);
    REP run(k, 1, n, 1, wg, 1);
    get(mo, o, bytes);
  }
  out = o;
  sum = fsum(o, n);
}

static void bench_bitonic(void) {
  if (!n) n = 1 << 16;
  if (!wg) wg = 64;
  items = n;
  bytes = n * 4;
  uint32_t* a = malloc(bytes);
  for (size_t i = 0; i < n; i++) a[i] = rnd();
  if (native)
    NAT(n_bitonic(n, a));
  else {
    cl_kernel k = load("bitonic.cl", "bitonic");
    cl_mem ma = buf(bytes, a);
    ARG(k, 0, ma);
    items = 0;
    for (uint32_t kk = 2; kk <= n; kk <<= 1)
      for (uint32_t j = kk >> 1; j; j >>= 1) {
        ARG(k, 1, j);
        ARG(k, 2, kk);
        run(k, 1, n, 1, wg, 1);
        items += n;
      }
    get(ma, a, bytes);
  }
  for (size_t i = 1; i < n; i++)
    if (a[i - 1] > a[i]) {
      printf("NOT SORTED at %zu\n", i);
      break;
    }
  out = a;
  sum = usum(a, n);
}

static void read_options(int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "-p"))
      want = argv[++i];
    else if (!strcmp(argv[i], "-n"))
      n = strtoull(argv[++i], 0, 0);
    else if (!strcmp(argv[i], "-w"))
      wg = atoi(argv[++i]);
    else if (!strcmp(argv[i], "-d"))
      dir = argv[++i];
    else if (!strcmp(argv[i], "-r"))
      reps = atoi(argv[++i]);
    else if (!strcmp(argv[i], "-D"))
      dump = argv[++i];
    else if (!strcmp(argv[i], "-N"))
      native = 1;
    else
      w = argv[i];
  }
}

int main(int argc, char** argv) {
  read_options(argc, argv);
  if (!w) {
    fprintf(
        stderr,
        "usage: bench [-p platform] [-n size] [-w wgsize] [-r reps] [-d kerneldir] [-D dumpdir] "
        "[-N] vecadd|saxpy|sgemm_naive|sgemm_tiled|nbody|mandel|reduce|hist|transc|bitonic\n");
    return 1;
  }
  if (!native) init(want);
  if (IS("vecadd") || IS("saxpy")) {
    bench_vecadd_or_saxpy();
  } else if (IS("sgemm_naive") || IS("sgemm_tiled")) {
    bench_sgemm();
  } else if (IS("nbody")) {
    bench_nbody();
  } else if (IS("mandel")) {
    bench_mandel();
  } else if (IS("reduce")) {
    bench_reduce();
  } else if (IS("hist")) {
    bench_hist();
  } else if (IS("transc")) {
    bench_transc();
  } else if (IS("bitonic")) {
    bench_bitonic();
  } else {
    fprintf(stderr, "unknown workload %s\n", w);
    return 1;
  }
  printf(
      "workload=%s n=%zu wg=%d work_items=%zu build_s=%.4f kernel_s=%.6f cpu_s=%.6f event_s=%.6f "
      "sum=%.9g hash=%016llx\n",
      w, n, wg, items * (IS("bitonic") ? 1 : reps), build_s, kernel_s, cpu_s, event_s, sum,
      (unsigned long long)fnv(out, bytes));
  if (!native) release();
  return 0;
}
