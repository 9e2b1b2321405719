/* Programs that misuse unified shared memory, by their kernels, their commands and their own
 * accesses.
 *
 *   usm_programs list | NAME wrong | NAME right
 *
 * CASE(name, rule, code, what): the wrong one returns `code` and is told `rule`; the right one
 * returns CL_SUCCESS and is told nothing.  usm_programs_test.py runs each in processes of its own.
 */
#include "testsuites/host/usm_programs/cases.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* --- bounds --------------------------------------------------------------------------------------
 */

static cl_int PutAt(enum Kind kind, int at) {
  int* memory = Allocate(kind);
  cl_kernel put = KernelNamed("put_at");
  SetPointer(put, 0, memory);
  SetInt(put, 1, at);
  const cl_int code = RunIt(put, 1);
  FreeUsm(memory);
  return code;
}
static cl_int store_behind(enum Kind kind, int wrong) {
  return PutAt(kind, wrong ? kItems : kItems - 1);
}
CASES(store_behind, "memory-out-of-bounds", CL_SUCCESS,
      "a kernel stores behind the end of an allocation")

static cl_int GetAt(enum Kind kind, int at) {
  int* memory = Allocate(kind);
  int* out = SharedMemory(kBytes);
  cl_kernel get = KernelNamed("get_at");
  SetPointer(get, 0, memory);
  SetInt(get, 1, at);
  SetPointer(get, 2, out);
  const cl_int code = RunIt(get, 1);
  FreeUsm(memory);
  FreeUsm(out);
  return code;
}
static cl_int load_before(enum Kind kind, int wrong) { return GetAt(kind, wrong ? -1 : 0); }
CASES(load_before, "memory-out-of-bounds", CL_SUCCESS, "a kernel loads in front of an allocation")

CASE(more_work_items, "memory-out-of-bounds", CL_SUCCESS,
     "a kernel has more work-items than the allocation elements") {
  int* memory = Allocate(kShared);
  cl_kernel put = KernelNamed("put");
  SetPointer(put, 0, memory);
  SetInt(put, 1, 3);
  const cl_int code = RunIt(put, wrong ? kItems + 4 : kItems);
  FreeUsm(memory);
  return code;
}
CASE(pointer_inside, "memory-out-of-bounds", CL_SUCCESS,
     "a kernel gets a pointer into an allocation, and leaves it") {
  int* memory = Allocate(kDevice);
  cl_kernel put = KernelNamed("put_at");
  SetPointer(put, 0, memory + 8);
  SetInt(put, 1, wrong ? 8 : 7);
  const cl_int code = RunIt(put, 1);
  FreeUsm(memory);
  return code;
}
CASE(null_argument, "memory-null", CL_SUCCESS, "a kernel stores through a null pointer") {
  int* memory = Allocate(kShared);
  cl_kernel put = KernelNamed("put_at");
  SetPointer(put, 0, wrong ? NULL : memory);
  SetInt(put, 1, 0);
  const cl_int code = RunIt(put, 1);
  FreeUsm(memory);
  return code;
}
CASE(misaligned, "alignment-access", CL_SUCCESS, "a kernel loads an int from an odd place") {
  char* memory = Allocate(kDevice);
  int* out = SharedMemory(kBytes);
  cl_kernel wide = KernelNamed("wide");
  SetPointer(wide, 0, memory);
  SetInt(wide, 1, wrong ? 5 : 4);
  SetPointer(wide, 2, out);
  const cl_int code = RunIt(wide, 1);
  FreeUsm(memory);
  FreeUsm(out);
  return code;
}

/* --- lifetime ------------------------------------------------------------------------------------
 */

/* A kernel follows a pointer to memory that it used before and that may have been freed. */
static cl_int Chase(enum Kind kind, int stores, int wrong) {
  int* memory = Allocate(kind);
  cl_ulong* holder = SharedMemory(kBytes);
  int* out = SharedMemory(kBytes);
  cl_int code = CL_SUCCESS;
  holder[0] = (cl_ulong)(uintptr_t)memory;
  for (int round = 0; round < 2; ++round) {
    cl_kernel chase = KernelNamed(stores ? "chase_put" : "chase");
    SetPointer(chase, 0, holder);
    if (!stores) SetPointer(chase, 1, out);
    TellAll(chase);
    code = RunIt(chase, 1);
    if (wrong && round == 0) FreeUsm(memory);
  }
  if (!wrong) FreeUsm(memory);
  FreeUsm(holder);
  FreeUsm(out);
  return code;
}
static cl_int load_freed(enum Kind kind, int wrong) { return Chase(kind, 0, wrong); }
CASES(load_freed, "memory-use-after-release", CL_SUCCESS,
      "a kernel loads from an allocation that was freed")
static cl_int store_freed(enum Kind kind, int wrong) { return Chase(kind, 1, wrong); }
CASES(store_freed, "memory-use-after-release", CL_SUCCESS,
      "a kernel stores to an allocation that was freed")

CASE(argument_freed, "memory-use-after-release", CL_SUCCESS,
     "an argument was freed after it was set") {
  int* memory = Allocate(kShared);
  cl_kernel put = KernelNamed("put");
  cl_int code;
  SetPointer(put, 0, memory);
  SetInt(put, 1, 3);
  clRetainKernel(put);
  RunIt(put, 1);
  if (wrong) FreeUsm(memory);
  code = RunIt(put, 1);
  if (!wrong) FreeUsm(memory);
  return code;
}
CASE(fill_freed, "host-svm-freed", CL_INVALID_VALUE, "a fill of an allocation that was freed") {
  int* memory = Allocate(kDevice);
  if (wrong) FreeUsm(memory);
  const cl_int code = FillUsm(queue, memory, kBytes);
  clFinish(queue);
  if (!wrong) FreeUsm(memory);
  return code;
}
CASE(copy_from_freed, "host-svm-freed", CL_INVALID_VALUE,
     "a copy from an allocation that was freed") {
  int bytes[kItems];
  int* memory = Allocate(kDevice);
  if (wrong) FreeUsm(memory);
  const cl_int code = CopyUsm(bytes, memory, kBytes);
  if (!wrong) FreeUsm(memory);
  return code;
}
CASE(copy_to_freed, "host-svm-freed", CL_INVALID_VALUE, "a copy to an allocation that was freed") {
  const int bytes[kItems] = {0};
  int* memory = Allocate(kShared);
  if (wrong) FreeUsm(memory);
  const cl_int code = CopyUsm(memory, bytes, kBytes);
  if (!wrong) FreeUsm(memory);
  return code;
}

static cl_int FreeAgain(enum Kind kind, int wrong) {
  int* memory = Allocate(kind);
  const cl_int code = FreeUsm(memory);
  return wrong ? FreeUsm(memory) : code;
}
static cl_int freed_twice(enum Kind kind, int wrong) { return FreeAgain(kind, wrong); }
CASES(freed_twice, "host-usm-free", CL_INVALID_VALUE, "an allocation is freed twice")

CASE(freed_inside, "host-usm-free", CL_INVALID_VALUE, "a pointer into an allocation is freed") {
  char* memory = Allocate(kHost);
  const cl_int code = FreeUsm(wrong ? memory + 8 : memory);
  if (wrong) FreeUsm(memory);
  return code;
}
CASE(freed_malloc, "host-usm-free", CL_INVALID_VALUE, "what malloc made is freed as USM") {
  void* own = malloc(kBytes);
  void* memory = Allocate(kHost);
  const cl_int code = FreeUsm(wrong ? own : memory);
  if (wrong) FreeUsm(memory);
  free(own);
  return code;
}
CASE(freed_running, "host-svm-freed", CL_SUCCESS,
     "an allocation is freed while a command uses it") {
  int* memory = Allocate(kDevice);
  cl_event start = UserEvent();
  const int value = 1;
  Need(USM(clEnqueueMemFillINTEL)(queue, memory, &value, sizeof value, kBytes, 1, &start, NULL),
       "clEnqueueMemFillINTEL");
  if (!wrong) clSetUserEventStatus(start, CL_COMPLETE);
  if (!wrong) clFinish(queue);
  const cl_int code = USM(clMemFreeINTEL)(context, memory);
  if (wrong) clSetUserEventStatus(start, CL_COMPLETE);
  clFinish(queue);
  clReleaseEvent(start);
  return code;
}

/* --- the host's accesses -------------------------------------------------------------------------
 */

CASE(host_loads, "host-device-memory", CL_SUCCESS, "the host loads from a device allocation") {
  int* memory = Allocate(wrong ? kDevice : kShared);
  const volatile int* seen = memory;
  const cl_int code = *seen == 7 ? CL_SUCCESS : CL_INVALID_VALUE;
  FreeUsm(memory);
  return code;
}
CASE(host_stores, "host-device-memory", CL_SUCCESS, "the host stores to a device allocation") {
  volatile int* memory = Allocate(wrong ? kDevice : kShared);
  memory[1] = 3;
  return FreeUsm((void*)memory);
}
CASE(host_copies, "host-device-memory", CL_SUCCESS,
     "the host copies from a device allocation by memcpy") {
  int copy[kItems];
  int* memory = Allocate(wrong ? kDevice : kHost);
  memcpy(copy, memory, kBytes);
  FreeUsm(memory);
  return copy[3] == 7 ? CL_SUCCESS : CL_INVALID_VALUE;
}

/* Of a library in this program's folder. */
typedef void (*CopyFunction)(void* target, const void* from, size_t bytes);
static CopyFunction CopyOf(const char* library) {
  char path[4096 + 32];
  const ssize_t length = readlink("/proc/self/exe", path, 4096);
  if (length < 0) return NULL;
  path[length] = '\0';
  strcpy(strrchr(path, '/') + 1, library);
  void* loaded = dlopen(path, RTLD_NOW);
  return loaded == NULL ? NULL : (CopyFunction)dlsym(loaded, "Copy");
}
CASE(library_copies, "host-device-memory", CL_SUCCESS,
     "a library copies from a device allocation by memcpy; as Intel's MKL may do") {
  int copied[kItems] = {0};
  int* memory = Allocate(kDevice);
  const CopyFunction copy = CopyOf(wrong ? "libplayed.so" : "libmkl_played.so");
  if (copy == NULL) return CL_INVALID_VALUE;
  copy(copied, memory, kBytes);
  FreeUsm(memory);
  return copied[3] == 7 ? CL_SUCCESS : CL_INVALID_VALUE;
}

/* --- what kernels were not told of
 * ---------------------------------------------------------------- */

static cl_int Untold(enum Kind kind, int told) {
  int* memory = Allocate(kind);
  cl_ulong* holder = SharedMemory(kBytes);
  int* out = SharedMemory(kBytes);
  cl_kernel chase = KernelNamed("chase");
  holder[0] = (cl_ulong)(uintptr_t)memory;
  SetPointer(chase, 0, holder);
  SetPointer(chase, 1, out);
  if (told) TellAll(chase);
  const cl_int code = RunIt(chase, 1);
  FreeUsm(memory);
  FreeUsm(holder);
  FreeUsm(out);
  return code;
}
static cl_int untold(enum Kind kind, int wrong) { return Untold(kind, !wrong); }
CASES(untold, "host-svm-access", CL_SUCCESS,
      "a kernel reaches an allocation that it was not told of")

CASE(told_other_kind, "host-svm-access", CL_SUCCESS,
     "a kernel was told of another kind of allocation") {
  int* memory = Allocate(kDevice);
  cl_ulong* holder = SharedMemory(kBytes);
  cl_kernel chase = KernelNamed("chase_put");
  holder[0] = (cl_ulong)(uintptr_t)memory;
  SetPointer(chase, 0, holder);
  Tell(chase, wrong ? CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL
                    : CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL);
  const cl_int code = RunIt(chase, 1);
  FreeUsm(memory);
  FreeUsm(holder);
  return code;
}

/* --- contexts and kinds
 * --------------------------------------------------------------------------- */

/* A device allocation of this context or of another one. */
static cl_int InContext(int wrong, cl_int (*use)(void* memory)) {
  cl_context other = NewContext();
  cl_int code = -1;
  void* memory =
      USM(clDeviceMemAllocINTEL)(wrong ? other : context, device, NULL, kBytes, 0, &code);
  Need(code, "clDeviceMemAllocINTEL");
  code = use(memory);
  FreeIn(wrong ? other : context, memory);
  clReleaseContext(other);
  return code;
}
static cl_int FillIt(void* memory) {
  const cl_int code = FillUsm(queue, memory, kBytes);
  clFinish(queue);
  return code;
}
static cl_int CopyToIt(void* memory) {
  static const int bytes[kItems] = {0};
  return CopyUsm(memory, bytes, kBytes);
}
CASE(fill_other_context, "host-svm-context", CL_SUCCESS,
     "a fill of an allocation of another context") {
  return InContext(wrong, FillIt);
}
CASE(copy_other_context, "host-svm-context", CL_SUCCESS,
     "a copy to an allocation of another context") {
  return InContext(wrong, CopyToIt);
}
CASE(usm_freed_as_svm, "host-usm-kind", CL_SUCCESS, "USM is freed by clSVMFree") {
  void* memory = Allocate(kShared);
  if (!wrong) return FreeUsm(memory);
  clSVMFree(context, memory);
  FreeUsm(memory);
  return CL_SUCCESS;
}
CASE(svm_freed_as_usm, "host-usm-kind", CL_INVALID_VALUE, "SVM is freed by clMemFreeINTEL") {
  void* memory = clSVMAlloc(context, CL_MEM_READ_WRITE, kBytes, 0);
  void* usm = Allocate(kShared);
  const cl_int code = FreeUsm(wrong ? memory : usm);
  if (wrong) FreeUsm(usm);
  clSVMFree(context, memory);
  return code;
}

/* --- copies
 * ---------------------------------------------------------------------------------------- */

static cl_int CopyWithin(size_t from, size_t to, size_t count) {
  int* memory = Allocate(kDevice);
  const cl_int code = CopyUsm(memory + to, memory + from, count * sizeof(int));
  FreeUsm(memory);
  return code;
}
CASE(overlap_up, "host-overlapping-copy", CL_MEM_COPY_OVERLAP,
     "a copy to a higher place overlaps") {
  return CopyWithin(0, wrong ? 7 : 8, 8);
}
CASE(overlap_down, "host-overlapping-copy", CL_MEM_COPY_OVERLAP,
     "a copy to a lower place overlaps") {
  return CopyWithin(8, wrong ? 1 : 0, 8);
}
CASE(overlap_itself, "host-overlapping-copy", CL_MEM_COPY_OVERLAP,
     "a copy of an allocation to itself") {
  return CopyWithin(0, wrong ? 0 : 8, 8);
}

/* --- races
 * ----------------------------------------------------------------------------------------- */

static void StartPut(cl_command_queue on, int* memory, cl_uint waits, const cl_event* list,
                     cl_event* event) {
  const size_t items = 4;
  cl_kernel put = KernelNamed("put");
  SetPointer(put, 0, memory);
  SetInt(put, 1, 3);
  Need(clEnqueueNDRangeKernel(on, put, 1, NULL, &items, NULL, waits, list, event),
       "clEnqueueNDRangeKernel");
  clReleaseKernel(put);
}
static void StartFill(cl_command_queue on, int* memory, cl_uint waits, const cl_event* list,
                      cl_event* event) {
  static const int value = 5;
  Need(USM(clEnqueueMemFillINTEL)(on, memory, &value, sizeof value, kBytes, waits, list, event),
       "clEnqueueMemFillINTEL");
}
typedef void (*Start)(cl_command_queue on, int* memory, cl_uint waits, const cl_event* list,
                      cl_event* event);

/* Two commands on two queues; the right one waits for the first one. */
static cl_int Both(enum Kind kind, Start one, Start two, int wrong) {
  int* memory = Allocate(kind);
  cl_command_queue other = MakeQueue(0);
  cl_event done = NULL;
  one(queue, memory, 0, NULL, &done);
  clFlush(queue);
  two(other, memory, wrong ? 0 : 1, wrong ? NULL : &done, NULL);
  clFinish(other);
  clFinish(queue);
  clReleaseEvent(done);
  clReleaseCommandQueue(other);
  return FreeUsm(memory);
}
static cl_int race_fill_kernel(enum Kind kind, int wrong) {
  return Both(kind, StartFill, StartPut, wrong);
}
CASES(race_fill_kernel, "host-race-commands", CL_SUCCESS, "a fill and a kernel without an order")
static cl_int race_kernels(enum Kind kind, int wrong) {
  return Both(kind, StartPut, StartPut, wrong);
}
CASES(race_kernels, "host-race-commands", CL_SUCCESS, "two kernels without an order")
CASE(race_out_of_order, "host-race-commands", CL_SUCCESS,
     "two fills of an out-of-order queue without an order") {
  int* memory = Allocate(kDevice);
  cl_command_queue other = MakeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_event done = NULL;
  StartFill(other, memory, 0, NULL, &done);
  StartFill(other, memory, wrong ? 0 : 1, wrong ? NULL : &done, NULL);
  clFinish(other);
  clReleaseEvent(done);
  clReleaseCommandQueue(other);
  return FreeUsm(memory);
}
static cl_int race_items(enum Kind kind, int wrong) {
  int* memory = Allocate(kind);
  int* other = Allocate(kShared);
  cl_kernel next = KernelNamed(wrong ? "next" : "next_right");
  SetPointer(next, 0, memory);
  if (!wrong) SetPointer(next, 1, other);
  const cl_int code = RunIt(next, kItems);
  FreeUsm(memory);
  FreeUsm(other);
  return code;
}
CASES(race_items, "race-nonatomic", CL_SUCCESS, "work-items load what others store")

/* --- values
 * ---------------------------------------------------------------------------------------- */

CASE(decides_by_nothing, "uninitialized-value", CL_SUCCESS,
     "a kernel decides by what nothing wrote") {
  int* memory = DeviceMemory(kBytes);
  int* out = SharedMemory(kBytes);
  cl_kernel choose = KernelNamed("choose");
  if (!wrong) Need(FillUsm(queue, memory, kBytes), "clEnqueueMemFillINTEL");
  SetPointer(choose, 0, memory);
  SetPointer(choose, 1, out);
  const cl_int code = RunIt(choose, 1);
  FreeUsm(memory);
  FreeUsm(out);
  return code;
}

/* ----------------------------------------------------------------------------------------------------
 */

int main(int count, char** words) {
  const struct Case* one;
  if (count == 2 && strcmp(words[1], "list") == 0) {
    for (one = first; one != NULL; one = one->next)
      printf("%s\t%s\t%s\n", one->name, one->rule, one->what);
    return 0;
  }
  for (one = first; one != NULL && count == 3; one = one->next) {
    const int wrong = strcmp(words[2], "wrong") == 0;
    cl_int code = -1;
    if (strcmp(words[1], one->name) != 0) continue;
    Begin();
    clReleaseProgram(program);
    program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    Need(code, "clCreateProgramWithSource");
    Need(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    code = one->make(wrong);
    End();
    if (code == (wrong ? one->code : CL_SUCCESS)) return 0;
    printf("%s: the code is %d\n", one->name, code);
    return 1;
  }
  printf("usage: usm_programs list | NAME wrong | NAME right\n");
  return 2;
}
