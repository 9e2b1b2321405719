// A C math library that does what no library should: which fault, says ASSAY_HOSTILE in the
// environment.  testsuites/hostile_library_test.cc has what each must come to.
//
// sinf, sincosf and modff are hostile; rintf and sqrtf are not, and depend on everything that the
// others may leave behind: rintf on the x87 unit, sqrtf on SSE.
#define _GNU_SOURCE
#include <fcntl.h>
#include <fenv.h>
#include <linux/falloc.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <xmmintrin.h>

static const char* fault = "";
static unsigned long calls = 0;
static int is(const char* name) { return strcmp(fault, name) == 0; }

static const int kSharedMemory = 3;  // base::Process::kInheritedFd
static const char kGarbage[] = "garbage where none was asked for\n";

// Begin of the mapped columns, or null.
static char* columns(size_t* size) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[512];
  char* found = NULL;
  while (maps != NULL && found == NULL && fgets(line, sizeof line, maps) != NULL) {
    unsigned long begin, end;
    if (strstr(line, "assay-columns") == NULL) continue;
    if (sscanf(line, "%lx-%lx", &begin, &end) != 2) continue;
    found = (char*)begin;
    *size = end - begin;
  }
  if (maps != NULL) fclose(maps);
  return found;
}

static void handler(int number) { (void)number; }

static void with_every_descriptor(void (*act)(int)) {
  for (int fd = 3; fd < 64; ++fd) act(fd);
}
static void close_it(int fd) { close(fd); }
static void write_garbage(int fd) {
  if (fcntl(fd, F_GETFL) != -1 && write(fd, kGarbage, sizeof kGarbage - 1) < 0) return;
}
static void write_forgery(int fd) {
  // A frame of the protocol: the length, and an answer to request 2.
  static const char kForged[] = "\x08\0\0\0{\"id\":2}";
  if (fd > kSharedMemory && fcntl(fd, F_GETFL) != -1) {
    if (write(fd, kForged, sizeof kForged - 1) < 0) return;
  }
}

static int deeper(volatile int* before) {
  volatile int here[4096];
  here[0] = *before + 1;
  return deeper(here) + here[0];
}

static void environment(void) {
  unsigned short control = 0x037f;
  if (is("flush_to_zero")) _mm_setcsr(_mm_getcsr() | 0x8040);
  if (is("denormals_are_zero")) _mm_setcsr(_mm_getcsr() | 0x0040);
  if (is("flush_to_zero_once") && calls == 100) _mm_setcsr(_mm_getcsr() | 0x8040);
  if (is("sse_rounds_up")) _mm_setcsr((_mm_getcsr() & ~0x6000u) | 0x4000);
  if (is("rounds_down")) fesetround(FE_DOWNWARD);
  if (is("sse_exceptions")) _mm_setcsr(_mm_getcsr() & ~0x1f80u);
  if (is("x87_single_precision")) control = 0x007f;
  if (is("x87_rounds_up")) control = 0x0b7f;
  if (control != 0x037f) asm volatile("fldcw %0" : : "m"(control));
  if (is("x87_stack")) asm volatile("fldz");
  if (is("mmx_registers")) asm volatile("pxor %%mm0, %%mm0" : : : "memory");
  if (is("direction_flag")) asm volatile("std");
}

static void signals(void) {
  if (is("alarm")) alarm(1);
  if (is("profiling_timer")) {
    const struct itimerval often = {{1, 0}, {1, 0}};
    setitimer(ITIMER_PROF, &often, NULL);
  }
  if (is("signal_handler")) signal(SIGSEGV, handler);
  if (is("ignores_signals")) signal(SIGTERM, SIG_IGN);
  if (is("blocks_signals")) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
  }
  if (is("signal_stack")) {
    static char memory[65536];
    const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    sigaltstack(&stack, NULL);
  }
}

static void processes(void) {
  if (is("forks") && fork() < 0) return;
  if (is("forks_once") && calls == 1 && fork() < 0) return;
  if (is("forks_raw")) syscall(SYS_fork);
  if (is("forks_and_stays") && calls == 1 && syscall(SYS_fork) == 0) pause();
  if (is("exits") && calls == 10) exit(0);
  if (is("exits_at_once") && calls == 10) _exit(7);
  if (is("aborts") && calls == 10) abort();
  if (is("crashes") && calls == 10) *(volatile int*)8 = 1;
  if (is("killed") && calls == 10) raise(SIGKILL);
  if (is("kills_its_group")) kill(0, SIGKILL);
  if (is("kills_the_parent")) kill(getppid(), SIGKILL);
  if (is("terminates_the_parent")) kill(getppid(), SIGTERM);
  if (is("no_stack_left") && calls == 10) {
    volatile int zero = 0;
    deeper(&zero);
  }
  if (is("ends_its_thread")) pthread_exit(NULL);
  if (is("stops")) raise(SIGSTOP);
}

static void time_and_memory(void) {
  if (is("spins")) {
    for (volatile int i = 0;; ++i) {
    }
  }
  if (is("hangs_late") && calls == 2000) pause();
  if (is("sleeps_a_little") && calls < 100) usleep(2000);
  if (is("leaks_memory") && calls < 256) memset(malloc(1 << 20), 1, 1 << 20);
  if (is("leaks_descriptors") && open("/dev/null", O_RDONLY) < 0) return;
}

static void descriptors(void) {
  if (is("closes_descriptors")) with_every_descriptor(close_it);
  if (is("closes_standard_streams")) {
    for (int fd = 0; fd < 3; ++fd) close(fd);
  }
  if (is("writes_to_stdout")) {
    printf("%s", kGarbage);
    fflush(stdout);
    write_garbage(1);
  }
  if (is("floods_stderr")) {
    for (int i = 0; i < 100; ++i) write_garbage(2);
  }
  if (is("writes_into_the_protocol")) with_every_descriptor(write_garbage);
  if (is("forges_answers") && calls == 1) with_every_descriptor(write_forgery);
}

static void memory(void) {
  size_t size = 0;
  if (is("shrinks_memory") && ftruncate(kSharedMemory, 0) != 0) return;
  if (is("grows_memory") && ftruncate(kSharedMemory, 1 << 28) != 0) return;
  if (is("seals_memory")) fcntl(kSharedMemory, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_WRITE);
  if (is("empties_memory")) {
    fallocate(kSharedMemory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1 << 28);
  }
  if (is("unmaps_memory") && calls == 10) {
    char* begin = columns(&size);
    if (begin != NULL) munmap(begin, size);
  }
  if (is("changes_inputs") && calls == 10) {
    char* begin = columns(&size);
    if (begin != NULL) memset(begin + 4096, 0x3f, 64);
  }
  if (is("writes_before_the_columns") && calls == 10) {
    char* begin = columns(&size);
    if (begin != NULL) begin[4000] ^= 1;
  }
  if (is("writes_everywhere") && calls == 10) {
    char* begin = columns(&size);
    if (begin != NULL) memset(begin, 0x3f, size);
  }
}

static void misbehave(void) {
  ++calls;
  environment();
  signals();
  processes();
  time_and_memory();
  descriptors();
  memory();
}

static float ulps(float x, int steps) {
  if (!(fabs((double)x) < 1e30) || x == 0) return x;
  int32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits += steps;
  memcpy(&x, &bits, sizeof bits);
  return x;
}

static float nan_of(uint32_t payload) {
  const uint32_t bits = 0x7fc00000u | (payload & 0x3fffff);
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

float sinf(float x) {
  static float previous = 0;
  // What it leaves behind is not meant for itself.
  volatile float right = (float)sin((double)x);
  misbehave();
  float y = right;
  if (is("random_ulp")) y = ulps(y, rand() % 2);
  if (is("random_far")) y = ulps(y, rand() % 4 == 0 ? 100 : 0);
  if (is("counts_calls")) y = ulps(y, (int)(calls % 2));
  if (is("wrong_when_asked_again") && calls > 2900) y = ulps(y, 100);
  if (is("wrong_once") && calls == 1000) y = 2;
  if (is("random_nan") && y != y) y = nan_of((uint32_t)rand());
  if (is("the_answer_before")) {
    const float now = y;
    y = previous;
    previous = now;
  }
  if (is("answers_twice") && calls % 2 == 0) y = previous;
  if (is("answers_twice")) previous = y;
  if (is("always_the_same")) y = 0.5f;
  if (is("gives_back_the_operand")) y = x;
  if (is("uninitialized")) {
    volatile float never;
    y = never;
  }
  return y;
}

void sincosf(float x, float* s, float* c) {
  misbehave();
  if (is("stores_nothing")) return;
  if (is("stores_the_first_item") && calls > 1) return;
  *s = (float)sin((double)x);
  if (is("stores_one_result")) return;
  if (is("stores_every_other_item") && calls % 2 == 0) return;
  if (is("stores_no_nan") && isnan(cos((double)x))) return;
  if (is("stores_all_but_one") && calls == 2800) return;
  if (is("stores_the_first_time") && calls > 2870) return;
  *c = (float)cos((double)x);
}

float modff(float x, float* whole) {
  misbehave();
  double part = 0;
  const double fraction = modf((double)x, &part);
  *whole = (float)part;
  if (is("writes_behind")) whole[1] = 77;
  if (is("writes_far_behind")) whole[500] = 77;
  if (is("writes_before")) whole[-1] = 77;
  if (is("depends_on_alignment") && ((uintptr_t)whole & 15) == 4) *whole = 77;
  return copysignf((float)fraction, x);
}

// The innocent.
float rintf(float x) {
  float y;
  asm volatile("flds %1\n\tfrndint\n\tfstps %0" : "=m"(y) : "m"(x));
  return x != x ? x : y;
}
float sqrtf(float x) {
  float y;
  asm volatile("sqrtss %1, %0" : "=x"(y) : "x"(x));
  return y;
}

static void at_the_end(void) {
  if (is("hangs_at_the_end")) pause();
  if (is("writes_at_the_end")) with_every_descriptor(write_garbage);
}

__attribute__((constructor)) static void loaded(void) {
  const char* name = getenv("ASSAY_HOSTILE");
  if (name != NULL) fault = name;
  atexit(at_the_end);
  if (is("crashes_when_loaded")) abort();
  if (is("exits_when_loaded")) exit(0);
  if (is("hangs_when_loaded")) pause();
  if (is("writes_when_loaded")) {
    write_garbage(1);
    write_garbage(2);
  }
  if (is("writes_into_the_protocol_when_loaded")) with_every_descriptor(write_garbage);
  if (is("changes_modes_when_loaded")) _mm_setcsr(_mm_getcsr() | 0x8040);
}
