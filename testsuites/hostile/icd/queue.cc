// Buffers, and the commands of an in-order queue.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "testsuites/hostile/icd/fault.h"
#include "testsuites/hostile/icd/objects.h"

namespace assay::hostile {
namespace {

// A device's own memory begins and ends with room that no launch should touch.
constexpr std::size_t kRoom = 4096;

void Drain(cl_command_queue queue) {
  for (const auto& command : std::exchange(queue->waiting, {})) command();
}

// "deferred": nothing happens before the host waits, which an in-order queue may do.
template <typename Command>
void Submit(cl_command_queue queue, bool wait, Command command) {
  if (!Has("deferred")) {
    command();
    return;
  }
  queue->waiting.emplace_back(std::move(command));
  if (wait) Drain(queue);
}

template <typename Value>
Value ArgumentOf(cl_kernel kernel, cl_uint index) {
  Value value{};
  const auto known = kernel->arguments.find(index);
  if (known != kernel->arguments.end()) {
    std::memcpy(&value, known->second.data(), std::min(sizeof value, known->second.size()));
  }
  return value;
}

// What has been asked of the kernel that makes operands.
struct Made {
  std::uint64_t checks = 0;  // in buffers that hold nothing else
  std::uint64_t ranges = 0;
  bool waits = false;  // the function's launch for the last range is still to come
};
Made& TheMade() {
  static Made made;
  return made;
}

// Stages "check:2" and "range:2": the second of each.
void EnterMaking(bool check) {
  Made& made = TheMade();
  made.waits = !check;
  if (check) {
    Enter("check:" + std::to_string(++made.checks));
  } else {
    Enter("range:" + std::to_string(++made.ranges));
  }
}

// Of a function, for a range: true.  Else the stages "sample:2", after the second range, and
// "sent:2", after the second check.
bool EnterFunction() {
  Made& made = TheMade();
  if (std::exchange(made.waits, false)) return true;
  Enter("sample:" + std::to_string(made.ranges));
  Enter("sent:" + std::to_string(made.checks));
  return false;
}

// Elements at, at + 1, ... of a buffer become first, first + 1, ...
void MakeOperands(cl_command_queue queue, cl_kernel kernel, std::size_t items) {
  static std::uint64_t launches = 0;
  ++launches;
  // Of the first so many launches on: "lose_ranges@3".
  if (launches > NumberOf("lose_ranges", ~std::uint64_t{0})) return;
  const auto at = ArgumentOf<cl_uint>(kernel, 0), first = ArgumentOf<cl_uint>(kernel, 1);
  EnterMaking(at == 0);
  const bool off = launches > NumberOf("ranges_off", ~std::uint64_t{0});
  const bool off_once = launches == NumberOf("range_off_once", 0);
  const cl_mem buffer = ArgumentOf<cl_mem>(kernel, 2);
  Submit(queue, false, [=] {
    for (std::size_t i = 0; i < items && (at + i + 1) * sizeof(cl_uint) <= buffer->size; ++i) {
      cl_uint operand = first + static_cast<cl_uint>(i);
      // In the middle, where assay does not look at every launch.
      if ((off || off_once) && i > items / 3 && i < items / 3 + 40) operand ^= 0x10000;
      std::memcpy(buffer->data + (at + i) * sizeof operand, &operand, sizeof operand);
    }
  });
}

}  // namespace

cl_mem CL_API_CALL CreateBuffer(cl_context, cl_mem_flags flags, std::size_t size, void* host,
                                cl_int* status) {
  Enter("buffer");
  const cl_int error = ErrorAt("buffer");
  Tell(status, size == 0 ? CL_INVALID_BUFFER_SIZE : error);
  if (size == 0 || error != CL_SUCCESS || Has("null_buffer")) return nullptr;
  cl_mem buffer = MakeObject<_cl_mem>();
  buffer->size = size;
  buffer->storage.assign(size + 2 * kRoom, std::byte{0});
  buffer->data = buffer->storage.data() + kRoom;
  if ((flags & CL_MEM_USE_HOST_PTR) != 0) {
    buffer->host = static_cast<std::byte*>(host);
    if (Has("own_memory")) {
      std::memcpy(buffer->data, host, size);
    } else {
      buffer->data = buffer->host;
    }
  }
  if ((flags & CL_MEM_COPY_HOST_PTR) != 0) std::memcpy(buffer->data, host, size);
  return buffer;
}

cl_int CL_API_CALL ReleaseMemObject(cl_mem buffer) {
  Enter("release");
  // "stale_args": a launch may still use it.
  if (!Has("stale_args")) delete buffer;
  return CL_SUCCESS;
}

cl_int CL_API_CALL EnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool wait,
                                      std::size_t offset, std::size_t size, const void* from,
                                      cl_uint, const cl_event*, cl_event*) {
  Enter("write");
  if (const cl_int error = ErrorAt("write"); error != CL_SUCCESS) return error;
  if (offset > buffer->size || size > buffer->size - offset) return CL_INVALID_VALUE;
  static std::uint64_t writes = 0;
  const bool lost = Has("lose_writes") || ++writes == NumberOf("lose_one_write", 0);
  if (lost) return CL_SUCCESS;
  Submit(queue, wait != 0, [=] { std::memcpy(buffer->data + offset, from, size); });
  return CL_SUCCESS;
}

cl_int CL_API_CALL EnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool wait,
                                     std::size_t offset, std::size_t size, void* to, cl_uint,
                                     const cl_event*, cl_event*) {
  Enter("read");
  if (const cl_int error = ErrorAt("read"); error != CL_SUCCESS) return error;
  if (offset > buffer->size || size > buffer->size - offset) return CL_INVALID_VALUE;
  if (Has("read_nothing")) return CL_SUCCESS;
  if (Has("read_zeros")) {
    std::memset(to, 0, size);
    return CL_SUCCESS;
  }
  if (Has("read_half")) size /= 2;
  static std::vector<std::byte> last;
  if (Has("read_previous")) {
    std::vector<std::byte> now(buffer->data + offset, buffer->data + offset + size);
    last.resize(size);
    std::memcpy(to, last.data(), size);
    last = std::move(now);
    return CL_SUCCESS;
  }
  // "read_early": before the commands that the queue still holds.
  if (Has("read_early")) {
    std::memcpy(to, buffer->data + offset, size);
    return CL_SUCCESS;
  }
  Submit(queue, wait != 0, [=] { std::memcpy(to, buffer->data + offset, size); });
  return CL_SUCCESS;
}

cl_int CL_API_CALL EnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                     std::size_t from_offset, std::size_t to_offset,
                                     std::size_t size, cl_uint, const cl_event*, cl_event*) {
  Enter("copy");
  if (const cl_int error = ErrorAt("copy"); error != CL_SUCCESS) return error;
  if (from_offset > from->size || size > from->size - from_offset || to_offset > to->size ||
      size > to->size - to_offset) {
    return CL_INVALID_VALUE;
  }
  static std::uint64_t copies = 0;
  if (++copies > NumberOf("lose_copies", ~std::uint64_t{0})) return CL_SUCCESS;
  Submit(queue, false, [=] { std::memcpy(to->data + to_offset, from->data + from_offset, size); });
  return CL_SUCCESS;
}

void* CL_API_CALL EnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool, cl_map_flags,
                                   std::size_t offset, std::size_t size, cl_uint, const cl_event*,
                                   cl_event*, cl_int* status) {
  Enter("map");
  const cl_int error = ErrorAt("map");
  Tell(status, error);
  if (error != CL_SUCCESS || Has("map_null")) return nullptr;
  Drain(queue);
  if (Has("map_elsewhere") || buffer->host == nullptr) return buffer->data + offset;
  // A device with memory of its own copies now; "map_stale" forgets to.
  if (buffer->data != buffer->host && !Has("map_stale")) {
    std::memcpy(buffer->host + offset, buffer->data + offset, size);
  }
  return buffer->host + offset;
}

cl_int CL_API_CALL EnqueueUnmapMemObject(cl_command_queue, cl_mem, void*, cl_uint, const cl_event*,
                                         cl_event*) {
  Enter("unmap");
  return ErrorAt("unmap");
}

cl_int CL_API_CALL EnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint,
                                        const std::size_t*, const std::size_t* global,
                                        const std::size_t*, cl_uint, const cl_event*, cl_event*) {
  Enter("launch");
  if (const cl_int error = ErrorAt("launch"); error != CL_SUCCESS) return error;
  if (kernel->arguments.size() != kernel->code.Parameters()) return CL_INVALID_KERNEL_ARGS;
  if (Has("launch_nothing")) return CL_SUCCESS;
  if (kernel->code.makes_operands) {
    MakeOperands(queue, kernel, *global);
    return CL_SUCCESS;
  }
  const bool of_range = EnterFunction();
  static std::uint64_t launches = 0;
  if (++launches == NumberOf("lose_one_launch", 0)) return CL_SUCCESS;
  cl_uint next = 0;
  const int which = kernel->code.switched ? ArgumentOf<cl_int>(kernel, next++) : 0;
  const auto first = ArgumentOf<cl_uint>(kernel, next++);
  std::vector<Region> columns;
  for (; next < kernel->code.Parameters(); ++next) {
    const auto buffer = ArgumentOf<cl_mem>(kernel, next);
    columns.push_back({buffer->data, buffer->size});
  }
  if (Has("swap_buffers")) std::swap(columns.front(), columns.back());
  const auto selected = kernel->code.Select(which);
  if (!selected) return CL_INVALID_KERNEL_ARGS;
  const std::size_t vectors = *global;
  Submit(queue, false, [=, code = kernel->code, selected = *selected] {
    Execute(code, selected, columns, first, vectors);
  });
  // "spoil_range@3": the third range's launch stores far before its answers.
  if (of_range && TheMade().ranges == NumberOf("spoil_range", 0)) {
    Submit(queue, false, [last = columns.back()] { last.data[0] ^= std::byte{1}; });
  }
  return CL_SUCCESS;
}

cl_int CL_API_CALL Finish(cl_command_queue queue) {
  Enter("finish");
  if (Has("finish_early")) return CL_SUCCESS;
  Drain(queue);
  return ErrorAt("finish");
}

}  // namespace assay::hostile
