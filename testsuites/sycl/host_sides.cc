// Host sides of programs whose host does more than one launch.  The kernels are those of
// programs/NAME.cpp.
#include <map>
#include <numeric>
#include <sycl/ext/oneapi/experimental/graph.hpp>

#include "host.h"

namespace host {
namespace {

constexpr std::size_t kCount = 64;
using Integers = std::vector<int>;

Integers Iota() {
  Integers values(kCount);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

sycl::nd_range<1> OneGroup(std::size_t count = kCount) {
  return {sycl::range<1>(count), sycl::range<1>(count)};
}

// Enqueues a kernel with these arguments on all elements.
template <typename... Arguments>
sycl::event Enqueue(sycl::queue& queue, const sycl::kernel& kernel,
                    const std::vector<sycl::event>& after, std::size_t count,
                    Arguments... arguments) {
  return queue.submit([&](sycl::handler& handler) {
    handler.depends_on(after);
    handler.set_args(arguments...);
    handler.parallel_for(OneGroup(count), kernel);
  });
}

Integers Read(sycl::queue& queue, const int* memory) {
  Integers values(kCount);
  queue.copy(memory, values.data(), kCount).wait();
  return values;
}

int* DeviceIota(sycl::queue& queue) {
  int* memory = sycl::malloc_device<int>(kCount, queue);
  queue.copy(Iota().data(), memory, kCount).wait();
  return memory;
}

// --- commands -----------------------------------------------------------------------------------

void Commands(Program& program) {
  sycl::queue& queue = program.queue;
  int* a = sycl::malloc_device<int>(kCount, queue);
  int* b = sycl::malloc_shared<int>(kCount, queue);
  const sycl::event filled = queue.fill(a, 7, kCount);
  const sycl::event cleared = queue.memset(b, 0, kCount * sizeof(int));
  const sycl::event added = Enqueue(queue, program.Kernel("k"), {filled, cleared}, kCount, a, b);
  queue.memcpy(a, b + kCount / 2, kCount / 2 * sizeof(int), added).wait();
  Show("a", Read(queue, a));
  Show("b", b, kCount);
  sycl::free(a, queue);
  sycl::free(b, queue);
}

void Prefetch(Program& program) {
  sycl::queue& queue = program.queue;
  int* memory = sycl::malloc_shared<int>(kCount, queue);
  std::iota(memory, memory + kCount, 0);
  queue.prefetch(memory, kCount * sizeof(int)).wait();
  queue.mem_advise(memory, kCount * sizeof(int), 0).wait();
  Enqueue(queue, program.Kernel("k"), {}, kCount, memory).wait();
  Show("data", memory, kCount);
  sycl::free(memory, queue);
}

void Chain(Program& program) {
  sycl::queue& queue = program.queue;
  int* memory = DeviceIota(queue);
  sycl::event last;
  for (int step = 1; step <= 4; ++step)
    last = Enqueue(queue, program.Kernel("k"), {last}, kCount, memory, step);
  last.wait();
  Show("data", Read(queue, memory));
  sycl::free(memory, queue);
}

void InOrder(Program& program) {
  sycl::queue queue(program.queue.get_context(), program.queue.get_device(),
                    sycl::property::queue::in_order());
  int* memory = sycl::malloc_device<int>(kCount, queue);
  queue.fill(memory, 1, kCount);
  for (int step = 1; step <= 4; ++step)
    Enqueue(queue, program.Kernel("k"), {}, kCount, memory, step);
  Show("data", Read(queue, memory));
  sycl::free(memory, queue);
}

void Barrier(Program& program) {
  sycl::queue& queue = program.queue;
  int* memory = DeviceIota(queue);
  Enqueue(queue, program.Kernel("k"), {}, kCount, memory, 3);
  queue.ext_oneapi_submit_barrier();
  Enqueue(queue, program.Kernel("k"), {}, kCount, memory, 5);
  queue.wait();
  Show("data", Read(queue, memory));
  sycl::free(memory, queue);
}

void TwoQueues(Program& program) {
  sycl::queue& first = program.queue;
  sycl::queue second(first.get_context(), first.get_device());
  int* memory = DeviceIota(first);
  const sycl::event done = Enqueue(first, program.Kernel("k"), {}, kCount, memory, 2);
  Enqueue(second, program.Kernel("k"), {done}, kCount, memory, 3).wait();
  Show("data", Read(second, memory));
  sycl::free(memory, first);
}

void Graph(Program& program) {
  namespace graphs = sycl::ext::oneapi::experimental;
  sycl::queue& queue = program.queue;
  int* memory = DeviceIota(queue);
  graphs::command_graph graph(queue.get_context(), queue.get_device());
  graph.begin_recording(queue);
  const sycl::event first = Enqueue(queue, program.Kernel("k"), {}, kCount, memory, 2);
  Enqueue(queue, program.Kernel("k"), {first}, kCount, memory, 3);
  graph.end_recording(queue);
  auto executable = graph.finalize();
  for (int i = 0; i < 2; ++i) queue.ext_oneapi_graph(executable).wait();
  Show("data", Read(queue, memory));
  sycl::free(memory, queue);
}

void Profiling(Program& program) {
  sycl::queue queue(program.queue.get_context(), program.queue.get_device(),
                    sycl::property::queue::enable_profiling());
  int* memory = DeviceIota(queue);
  sycl::event done = Enqueue(queue, program.Kernel("k"), {}, kCount, memory, 2);
  done.wait();
  const auto start = done.get_profiling_info<sycl::info::event_profiling::command_start>();
  const auto end = done.get_profiling_info<sycl::info::event_profiling::command_end>();
  Show("ordered", Integers{start <= end});
  Show("data", Read(queue, memory));
  sycl::free(memory, queue);
}

void KernelInformation(Program& program) {
  const sycl::kernel kernel = program.Kernel("k");
  const sycl::device device = program.queue.get_device();
  const auto most = kernel.get_info<sycl::info::kernel_device_specific::work_group_size>(device);
  const auto size =
      kernel.get_info<sycl::info::kernel_device_specific::compile_num_sub_groups>(device);
  Show("known", Integers{most >= kCount, static_cast<int>(size),
                         static_cast<int>(kernel.get_info<sycl::info::kernel::num_args>())});
}

// --- buffers ------------------------------------------------------------------------------------

void WithAccessor(Program& program, sycl::buffer<int>& buffer, int step) {
  program.queue.submit([&](sycl::handler& handler) {
    sycl::accessor data(buffer, handler);
    handler.set_args(data, step);
    handler.parallel_for(OneGroup(buffer.size()), program.Kernel("k"));
  });
}

// The runtime orders kernels by their accessors.
void BuffersOrder(Program& program) {
  Integers values = Iota();
  {
    sycl::buffer<int> buffer(values);
    WithAccessor(program, buffer, 2);
    WithAccessor(program, buffer, 3);
  }  // written back
  Show("data", values);
}

void SubBuffer(Program& program) {
  Integers values = Iota();
  {
    sycl::buffer<int> buffer(values);
    sycl::buffer<int> half(buffer, sycl::id<1>(kCount / 2), sycl::range<1>(kCount / 2));
    WithAccessor(program, half, 2);
  }
  Show("data", values);
}

void HostAccessor(Program& program) {
  sycl::buffer<int> buffer{sycl::range<1>(kCount)};
  {
    sycl::host_accessor data(buffer, sycl::write_only);
    for (std::size_t i = 0; i < kCount; ++i) data[i] = static_cast<int>(i);
  }
  WithAccessor(program, buffer, 2);
  {
    sycl::host_accessor data(buffer);
    for (std::size_t i = 0; i < kCount; ++i) data[i] += 100;
  }
  WithAccessor(program, buffer, 3);
  sycl::host_accessor data(buffer, sycl::read_only);
  Show("data", Integers(data.begin(), data.end()));
}

// --- pointers -----------------------------------------------------------------------------------

void UsmIndirect(Program& program) {
  struct List {
    int* values;
    int count, sum;
  };
  sycl::queue& queue = program.queue;
  List* lists = sycl::malloc_shared<List>(2, queue);
  for (int i = 0; i < 2; ++i) {
    lists[i] = {sycl::malloc_shared<int>(16, queue), 16, 0};
    std::iota(lists[i].values, lists[i].values + 16, 16 * i);
  }
  Enqueue(queue, program.Kernel("k"), {}, 2, lists).wait();
  Show("sums", Integers{lists[0].sum, lists[1].sum});
  for (int i = 0; i < 2; ++i) sycl::free(lists[i].values, queue);
  sycl::free(lists, queue);
}

// --- twins: the wrong one does what is marked ----------------------------------------------------

void NoOrder(Program& program) {
  sycl::queue& queue = program.queue;
  int* memory = DeviceIota(queue);
  std::vector<sycl::event> before = {Enqueue(queue, program.Kernel("k"), {}, kCount, memory, 2)};
  if (!program.is_right) before.clear();
  Enqueue(queue, program.Kernel("k"), before, kCount, memory, 3);  // here: no_order
  queue.wait();
  Show("data", Read(queue, memory));
  sycl::free(memory, queue);
}

void FreedTwice(Program& program) {
  sycl::queue& queue = program.queue;
  int* memory = DeviceIota(queue);
  Enqueue(queue, program.Kernel("k"), {}, kCount, memory, 2).wait();
  Show("data", Read(queue, memory));
  sycl::free(memory, queue);
  try {
    if (!program.is_right) sycl::free(memory, queue);  // here: freed_twice
  } catch (const sycl::exception&) {
  }
}

void FreedBefore(Program& program) {
  sycl::queue& queue = program.queue;
  int** holder = sycl::malloc_shared<int*>(1, queue);
  *holder = sycl::malloc_shared<int>(kCount, queue);
  std::iota(*holder, *holder + kCount, 0);
  int* out = sycl::malloc_shared<int>(kCount, queue);
  Enqueue(queue, program.Kernel("k"), {}, kCount, holder, out).wait();
  if (!program.is_right) sycl::free(*holder, queue);
  Enqueue(queue, program.Kernel("k"), {}, kCount, holder, out).wait();
  if (program.is_right) {
    Show("out", out, kCount);
    sycl::free(*holder, queue);
  }
  sycl::free(holder, queue);
  sycl::free(out, queue);
}

void HostReadsDevice(Program& program) {
  sycl::queue& queue = program.queue;
  int* memory = DeviceIota(queue);
  Enqueue(queue, program.Kernel("k"), {}, kCount, memory, 2).wait();
  int first = 0;
  if (program.is_right) {
    queue.copy(memory, &first, 1).wait();
  } else {
    first = *memory;  // here: host_reads_device
  }
  Show("first", Integers{first});
  sycl::free(memory, queue);
}

void CopyOverlaps(Program& program) {
  sycl::queue& queue = program.queue;
  int* memory = DeviceIota(queue);
  const std::size_t by = program.is_right ? kCount / 2 : 8;
  try {
    queue.memcpy(memory + by, memory, kCount / 2 * sizeof(int)).wait();  // here: copy_overlaps
  } catch (const sycl::exception&) {
  }
  Enqueue(queue, program.Kernel("k"), {}, kCount, memory).wait();
  Show("data", Read(queue, memory));
  sycl::free(memory, queue);
}

void NeverWritten(Program& program) {
  sycl::queue& queue = program.queue;
  int* memory = sycl::malloc_device<int>(kCount, queue);
  if (program.is_right) queue.fill(memory, 1, kCount).wait();
  Enqueue(queue, program.Kernel("k"), {}, kCount, memory).wait();
  if (program.is_right) Show("data", Read(queue, memory));
  sycl::free(memory, queue);
}

}  // namespace

Side FindSide(const std::string& name) {
  static const std::map<std::string, Side> sides = {
      {"commands", Commands},
      {"prefetch", Prefetch},
      {"chain", Chain},
      {"in_order", InOrder},
      {"barrier", Barrier},
      {"two_queues", TwoQueues},
      {"graph", Graph},
      {"profiling", Profiling},
      {"kernel_information", KernelInformation},
      {"buffers_order", BuffersOrder},
      {"sub_buffer", SubBuffer},
      {"host_accessor", HostAccessor},
      {"usm_indirect", UsmIndirect},
      {"no_order", NoOrder},
      {"freed_twice", FreedTwice},
      {"freed_before", FreedBefore},
      {"host_reads_device", HostReadsDevice},
      {"copy_overlaps", CopyOverlaps},
      {"never_written", NeverWritten},
  };
  const auto found = sides.find(name);
  return found == sides.end() ? nullptr : found->second;
}

}  // namespace host
