/* Every way in which commands of two queues, or of one out of order, get an order; and accesses
 * that need none. */
#include "testsuites/host/queues.h"

static void CL_CALLBACK Native(void* data) { **(volatile int**)data = 1; }
static cl_mem buffer;
static cl_mem target;
static cl_command_queue other;
static cl_command_queue loose; /* out of order */
static cl_command_queue third;
static int values[16];
static volatile int is_done;
static void CL_CALLBACK Continue(cl_event event, cl_int status, void* data) {
  (void)event, (void)status, (void)data;
  Fill(third, buffer, 0, 0, NULL, NULL);
  clFlush(third);
  is_done = 1;
}

/* Random fills and copies on four queues; each waits for the events of all before it that it
 * conflicts with. */
enum { kCommands = 300, kQueues = 4, kBytes = 64 };
static unsigned Random(unsigned end) {
  static unsigned state = 1;
  state = state * 1103515245u + 12345u;
  return (state >> 16) % end;
}
static int Meet(size_t a, size_t b, size_t size, size_t other_size) {
  return a < b + other_size && b < a + size;
}
static void RunRandom(void) {
  struct {
    size_t from, to, size; /* a fill where from is to */
    cl_event event;
  } done[kCommands];
  cl_command_queue queues[kQueues];
  int i, j;
  for (i = 0; i < kQueues; ++i)
    queues[i] = MakeQueue(i == 0 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
  for (i = 0; i < kCommands; ++i) {
    cl_command_queue on = queues[Random(kQueues)];
    cl_event waits[kCommands];
    cl_uint count = 0;
    const size_t size = 4 + 4 * Random(3);
    const size_t to = 4 * Random((kBytes - (unsigned)size) / 4 + 1);
    size_t from = 4 * Random((kBytes - (unsigned)size) / 4 + 1);
    if (Meet(from, to, size, size)) from = to;
    for (j = 0; j < i; ++j) {
      if (Meet(to, done[j].to, size, done[j].size) || Meet(to, done[j].from, size, done[j].size) ||
          Meet(from, done[j].to, size, done[j].size)) {
        waits[count++] = done[j].event;
      }
    }
    done[i].from = from;
    done[i].to = to;
    done[i].size = size;
    if (from == to) {
      const int value = 7;
      Need(clEnqueueFillBuffer(on, buffer, &value, sizeof value, to, size, count,
                               count == 0 ? NULL : waits, &done[i].event),
           "clEnqueueFillBuffer");
    } else {
      Need(clEnqueueCopyBuffer(on, buffer, buffer, from, to, size, count, count == 0 ? NULL : waits,
                               &done[i].event),
           "clEnqueueCopyBuffer");
    }
    clFlush(on);
  }
  for (i = 0; i < kQueues; ++i) clFinish(queues[i]);
  for (i = 0; i < kCommands; ++i) clReleaseEvent(done[i].event);
  for (i = 0; i < kQueues; ++i) clReleaseCommandQueue(queues[i]);
}

/* An event, and two events one after the other. */
static void ByEvents(void) {
  cl_event event;
  cl_event second;
  Fill(queue, buffer, 0, 0, NULL, &event);
  clFlush(queue);
  Put(other, buffer, 1, &event, &second);
  clReleaseEvent(event);
  clFlush(other);
  Fill(loose, target, 0, 1, &second, &event);
  clFlush(loose);
  Put(queue, buffer, 1, &event, NULL);
  clReleaseEvent(event);
  clReleaseEvent(second);
}
/* A wait of the host, and a command that blocks. */
static void ByWaits(void) {
  cl_event event;
  clFinish(queue);
  Put(other, buffer, 0, NULL, NULL);
  clEnqueueReadBuffer(other, buffer, CL_TRUE, 0, 16, values, 0, NULL, NULL);
  Fill(queue, buffer, 0, 0, NULL, &event);
  clWaitForEvents(1, &event);
  clReleaseEvent(event);
}
/* A status that the host asks for. */
static void ByStatus(void) {
  cl_event event;
  cl_int status = CL_QUEUED;
  Fill(loose, buffer, 0, 0, NULL, &event);
  clFlush(loose);
  while (status > CL_COMPLETE) {
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
  }
  clReleaseEvent(event);
}
/* Barriers and markers of a queue out of order. */
static void ByBarriers(void) {
  cl_event event;
  Fill(loose, buffer, 0, 0, NULL, NULL);
  clEnqueueBarrierWithWaitList(loose, 0, NULL, NULL);
  Put(loose, buffer, 0, NULL, NULL);
  clEnqueueMarkerWithWaitList(loose, 0, NULL, &event);
  clFlush(loose);
  Put(other, buffer, 1, &event, NULL);
  clReleaseEvent(event);
  clFinish(other);
}
/* Other bytes, reads only, and rectangles between each other's columns. */
static void WithoutConflict(void) {
  Fill(queue, buffer, 16, 0, NULL, NULL);
  Put(other, buffer, 0, NULL, NULL);
  clFinish(queue);
  clFinish(other);
  clEnqueueCopyBuffer(queue, buffer, target, 0, 32, 16, 0, NULL, NULL);
  clEnqueueReadBuffer(other, buffer, CL_FALSE, 0, 16, values, 0, NULL, NULL);
  {
    const size_t left[3] = {0, 0, 0};
    const size_t right[3] = {8, 0, 0};
    const size_t region[3] = {8, 2, 1};
    const size_t low[3] = {32, 0, 0};
    clEnqueueCopyBufferRect(queue, buffer, target, low, left, region, 16, 0, 16, 0, 0, NULL, NULL);
    clEnqueueCopyBufferRect(loose, buffer, target, low, right, region, 16, 0, 16, 0, 0, NULL, NULL);
  }
  clFinish(queue);
  clFinish(other);
  clFinish(loose);
}
/* What the host orders through a user event after both are enqueued. */
static void ByUserEvent(void) {
  cl_event gate = UserEvent();
  Fill(queue, buffer, 0, 0, NULL, NULL);
  Fill(other, buffer, 0, 1, &gate, NULL);
  Put(other, buffer, 0, NULL, NULL);
  clFlush(other);
  clFinish(queue);
  clSetUserEventStatus(gate, CL_COMPLETE);
  clReleaseEvent(gate);
  clFinish(other);
}
/* A callback of the first one enqueues the second one. */
static void ByCallback(void) {
  cl_event event;
  Fill(queue, buffer, 0, 0, NULL, &event);
  clSetEventCallback(event, CL_COMPLETE, Continue, NULL);
  clFlush(queue);
  while (!is_done) {
  }
  clFinish(third);
  clReleaseEvent(event);
}
/* A function of the application that a queue calls. */
static void ByFunction(void) {
  {
    volatile int called = 0;
    volatile int* place = &called;
    Fill(queue, buffer, 0, 0, NULL, NULL);
    clEnqueueNativeKernel(queue, Native, &place, sizeof place, 0, NULL, NULL, 0, NULL, NULL);
    clFlush(queue);
    while (!called) {
    }
    Fill(other, buffer, 0, 0, NULL, NULL);
    clFinish(other);
    clFinish(queue);
  }
}

int main(void) {
  Begin();
  buffer = MakeBuffer(64);
  target = MakeBuffer(64);
  other = MakeQueue(0);
  loose = MakeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  third = MakeQueue(0);
  ByEvents();
  ByWaits();
  ByStatus();
  ByBarriers();
  WithoutConflict();
  ByUserEvent();
  ByCallback();
  ByFunction();
  RunRandom();
  clReleaseCommandQueue(third);
  clReleaseCommandQueue(loose);
  clReleaseCommandQueue(other);
  clReleaseMemObject(target);
  clReleaseMemObject(buffer);
  return End();
}
