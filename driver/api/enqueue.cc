// Enqueueing kernels (OpenCL API, 5.10).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "driver/api/entries.h"
#include "driver/api/kernel_command.h"
#include "driver/objects/argument.h"
#include "driver/objects/program.h"

namespace assay::driver::api {

namespace {

constexpr std::array<std::uint32_t, 3> kNoLimit = {~0U, ~0U, ~0U};

// Groups of one size, as large as divides the index space: what OpenCL C 1.x promises where the
// application leaves the size open.
std::array<std::uint64_t, 3> UniformLocalSize(const interp::NdRange& range,
                                              const std::array<std::uint32_t, 3>& most) {
  std::array<std::uint64_t, 3> sizes = {1, 1, 1};
  std::uint64_t room = std::min<std::uint64_t>(256, MaxGroupItems());
  for (int d = 0; d < range.dimensions; ++d) {
    const std::uint64_t limit = std::min<std::uint64_t>(room, most[d]);
    for (std::uint64_t size = std::min(limit, range.global[d]); size > 1; --size) {
      if (range.global[d] % size != 0) continue;
      sizes[d] = size;
      room /= size;
      break;
    }
  }
  return sizes;
}

interp::NdRange ReadRange(const Kernel& kernel, cl_uint dimensions, const size_t* offset,
                          const size_t* global, const size_t* local) {
  RefuseIf(dimensions < 1 || dimensions > 3, CL_INVALID_WORK_DIMENSION,
           "work_dim is not 1, 2 or 3");
  interp::NdRange range;
  range.dimensions = static_cast<int>(dimensions);
  for (cl_uint d = 0; d < dimensions; ++d) {
    range.global[d] = global == nullptr ? 0 : global[d];
    range.offset[d] = offset == nullptr ? 0 : offset[d];
    RefuseIf(range.offset[d] > ~std::uint64_t{0} - range.global[d], CL_INVALID_GLOBAL_OFFSET,
             "the offset and the global size are more than size_t has");
  }
  const auto& required = kernel.info().required_local_size;
  const auto& most = kernel.executable->kernels.at(kernel.name).max_local_size;
  if (local == nullptr) {
    if (!required && (most || kernel.executable->needs_uniform_groups))
      range.local = UniformLocalSize(range, most.value_or(kNoLimit));
    return range;
  }
  std::array<std::uint64_t, 3> sizes = {1, 1, 1};
  std::uint64_t items = 1;
  for (cl_uint d = 0; d < dimensions; ++d) {
    sizes[d] = local[d];
    RefuseIf(local[d] == 0, CL_INVALID_WORK_GROUP_SIZE, "an element of local_work_size is 0");
    RefuseIf(local[d] > MaxGroupItems(), CL_INVALID_WORK_ITEM_SIZE,
             "an element of local_work_size is beyond CL_DEVICE_MAX_WORK_ITEM_SIZES");
    items *= local[d];
    if (range.global[d] % local[d] != 0 && kernel.executable->needs_uniform_groups) {
      Refuse(CL_INVALID_WORK_GROUP_SIZE,
             fmt::format("global_work_size[{}], {}, is no multiple of local_work_size[{}], {}, and "
                         "the program was "
                         "built for OpenCL C 1.x or with -cl-uniform-work-group-size",
                         d, range.global[d], d, local[d]));
    }
  }
  RefuseIf(items > MaxGroupItems(), CL_INVALID_WORK_GROUP_SIZE,
           "a work-group has more work-items than CL_KERNEL_WORK_GROUP_SIZE");
  if (required) {
    for (int d = 0; d < 3; ++d) {
      if (sizes[d] != (*required)[d]) {
        Refuse(
            CL_INVALID_WORK_GROUP_SIZE,
            fmt::format(
                "kernel '{}' requires work-groups of {}x{}x{} (reqd_work_group_size), not {}x{}x{}",
                kernel.name, (*required)[0], (*required)[1], (*required)[2], sizes[0], sizes[1],
                sizes[2]));
      }
    }
  }
  for (int d = 0; most && d < 3; ++d) {
    if (sizes[d] <= (*most)[d]) continue;
    Refuse(
        CL_INVALID_WORK_GROUP_SIZE,
        fmt::format("kernel '{}' takes work-groups of at most {}x{}x{} (MaxWorkgroupSizeINTEL), "
                    "not {}x{}x{}",
                    kernel.name, (*most)[0], (*most)[1], (*most)[2], sizes[0], sizes[1], sizes[2]));
  }
  range.local = sizes;
  return range;
}

}  // namespace

bool HasArguments(const Kernel& kernel) {
  return std::ranges::none_of(kernel.arguments, [](const KernelArgument& argument) {
    return std::holds_alternative<std::monostate>(argument);
  });
}

void CheckArguments(const Kernel& kernel) {
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    if (!std::holds_alternative<std::monostate>(kernel.arguments[i])) continue;
    RefuseAs(interp::Rule::kHostUnsetArgument, CL_INVALID_KERNEL_ARGS,
             fmt::format("argument {} '{}' of kernel '{}' was never set", i,
                         kernel.info().parameters[i].name, kernel.name));
  }
}

Submission MakeKernelCommand(Queue* queue, Kernel* kernel, cl_command_type type,
                             const KernelRange& range, bool needs_arguments) {
  if (kernel->program->context.get() != queue->context.get()) {
    Refuse(CL_INVALID_CONTEXT,
           fmt::format("{} and {} are of different contexts", kernel->Name(), queue->Name()));
  }
  const interp::NdRange read =
      ReadRange(*kernel, range.dimensions, range.offset, range.global, range.local);
  if (needs_arguments) CheckArguments(*kernel);
  CheckArgumentCounts(*kernel);
  Submission submission{.type = type};
  // An index space with a size of 0 executes nothing (OpenCL 2.1).
  bool is_empty = false;
  for (int d = 0; d < read.dimensions; ++d) is_empty |= read.global[d] == 0;
  if (is_empty || !HasArguments(*kernel)) {
    submission.uses.emplace_back(kernel);
  } else {
    PrepareLaunch(kernel, queue, read, &submission);
  }
  return submission;
}

namespace {

cl_int EnqueueKernel(Call* call, cl_command_queue queue, cl_kernel handle, cl_command_type type,
                     const KernelRange& range, const Waits& waits) {
  auto& on = FindHostQueue(call, queue);
  auto& kernel = call->Find<Kernel>(handle);
  CheckWaits(call, *on.context, waits);
  return Submit(call, &on, waits, MakeKernelCommand(&on, &kernel, type, range, true));
}

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                          cl_uint dimensions, const size_t* offset,
                                          const size_t* global, const size_t* local, cl_uint count,
                                          const cl_event* list, cl_event* event) {
  return Enter("clEnqueueNDRangeKernel", [&](Call& call) {
    return EnqueueKernel(&call, queue, kernel, CL_COMMAND_NDRANGE_KERNEL,
                         {dimensions, offset, global, local}, {count, list, event});
  });
}

cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSize(cl_command_queue queue, cl_kernel handle,
                                                     cl_uint dimensions, const size_t* offset,
                                                     const size_t* global, size_t* local) {
  return Enter("clGetKernelSuggestedLocalWorkSize", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    auto& kernel = call.Find<Kernel>(handle);
    RefuseIf(kernel.program->context.get() != on.context.get(), CL_INVALID_CONTEXT,
             "the kernel and the queue are of different contexts");
    CheckArguments(kernel);
    RefuseIf(dimensions < 1 || dimensions > 3, CL_INVALID_WORK_DIMENSION,
             "work_dim is not 1, 2 or 3");
    RefuseIf(global == nullptr, CL_INVALID_GLOBAL_WORK_SIZE, "global_work_size is null");
    for (cl_uint d = 0; d < dimensions; ++d) {
      RefuseIf(global[d] == 0, CL_INVALID_GLOBAL_WORK_SIZE, "an element of global_work_size is 0");
    }
    RefuseIf(local == nullptr, CL_INVALID_VALUE, "suggested_local_work_size is null");
    const interp::NdRange range = ReadRange(kernel, dimensions, offset, global, nullptr);
    const auto& required = kernel.info().required_local_size;
    const auto chosen = interp::ChooseLocalSize(range);
    for (cl_uint d = 0; d < dimensions; ++d) local[d] = required ? (*required)[d] : chosen[d];
  });
}

cl_int CL_API_CALL clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint count,
                                 const cl_event* list, cl_event* event) {
  return Enter("clEnqueueTask", [&](Call& call) {
    const size_t one = 1;
    return EnqueueKernel(&call, queue, kernel, CL_COMMAND_TASK, {1, nullptr, &one, &one},
                         {count, list, event});
  });
}

cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK* function)(void*),
                                         void* args, size_t args_bytes, cl_uint num_objects,
                                         const cl_mem* objects, const void** places, cl_uint count,
                                         const cl_event* list, cl_event* event) {
  return Enter("clEnqueueNativeKernel", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    RefuseIf(function == nullptr, CL_INVALID_VALUE, "user_func is null");
    RefuseIf((args == nullptr) != (args_bytes == 0), CL_INVALID_VALUE,
             "args and cb_args do not go together");
    RefuseIf(args == nullptr && num_objects != 0, CL_INVALID_VALUE,
             "there are memory objects, but no args");
    RefuseIf(
        (num_objects == 0) != (objects == nullptr) || (num_objects == 0) != (places == nullptr),
        CL_INVALID_VALUE, "num_mem_objects, mem_list and args_mem_loc do not go together");
    const auto* bytes = static_cast<const std::byte*>(args);
    std::vector<std::byte> copy(bytes, bytes + args_bytes);
    Submission submission{.type = CL_COMMAND_NATIVE_KERNEL};
    std::vector<Memory*> given;
    for (cl_uint i = 0; i < num_objects; ++i) {
      auto& memory = call.Find<Memory>(objects[i]);
      RefuseIf(!memory.IsBuffer(), CL_INVALID_MEM_OBJECT, "a memory object is no buffer");
      // args_mem_loc points into args: the pointers go to the same places of the copy.
      const std::size_t at =
          static_cast<std::size_t>(static_cast<const std::byte*>(places[i]) - bytes);
      RefuseIf(at > args_bytes || args_bytes - at < sizeof(void*), CL_INVALID_VALUE,
               "an element of args_mem_loc is outside of args");
      void* pointer = memory.bytes();
      std::memcpy(copy.data() + at, &pointer, sizeof pointer);
      submission.uses.emplace_back(&memory);
      given.push_back(&memory);
    }
    submission.work = [function, given,
                       copy =
                           std::make_shared<std::vector<std::byte>>(std::move(copy))]() -> cl_int {
      function(copy->empty() ? nullptr : copy->data());
      // What it wrote is not seen.
      for (Memory* memory : given) memory->storage->Define(memory->offset, memory->size);
      return CL_SUCCESS;
    };
    return Submit(&call, &on, {count, list, event}, std::move(submission));
  });
}

}  // namespace

void AddEnqueue(Entries* entries) {
  ASSAY_ENTRY(clEnqueueNDRangeKernel);
  ASSAY_EXTENSION_ENTRY(clGetKernelSuggestedLocalWorkSize);
  entries->by_name["clGetKernelSuggestedLocalWorkSizeKHR"] =
      reinterpret_cast<void*>(&clGetKernelSuggestedLocalWorkSize);
  ASSAY_ENTRY(clEnqueueTask);
  ASSAY_ENTRY(clEnqueueNativeKernel);
}

}  // namespace assay::driver::api
