// Launches of kernels.
#include <fmt/format.h>

#include <atomic>
#include <cstdio>

#include "driver/core/settings.h"
#include "driver/objects/program.h"
#include "driver/objects/scheduler.h"

namespace assay::driver {

namespace {

// All that a launch needs, taken when it is enqueued: the kernel may get other arguments, and its
// program may be built again, before it runs.
struct Plan {
  std::shared_ptr<Executable> executable;
  std::shared_ptr<interp::Memory> memory;
  interp::LaunchRequest request;
  std::vector<KernelArgument> arguments;
  // Shared virtual memory of the context: any of it may be reached through pointers.
  std::vector<std::shared_ptr<Storage>> shared;
};

interp::Argument ArgumentFor(const KernelArgument& argument, interp::Memory* memory) {
  if (const auto* bytes = std::get_if<std::vector<std::byte>>(&argument)) {
    return interp::BytesArgument{*bytes};
  }
  if (const auto* local = std::get_if<LocalSize>(&argument)) return interp::LocalArgument{local->bytes};
  if (const auto* svm = std::get_if<SvmPointer>(&argument)) return interp::BufferArgument{svm->address};
  if (const auto* sampler = std::get_if<Ref<Sampler>>(&argument)) {
    return interp::SamplerArgument{(*sampler)->sampler};
  }
  if (const auto* queue = std::get_if<Ref<Queue>>(&argument)) {
    if (!*queue) return interp::BufferArgument{0};
    return interp::QueueArgument{0};
  }
  if (const auto* object = std::get_if<Ref<Memory>>(&argument)) {
    if (!*object) return interp::BufferArgument{0};
    Memory& of = **object;
    const interp::Address address = of.storage->AddressFor(memory) + of.offset;
    if (of.IsImage()) return interp::ImageArgument{address, of.image->descriptor};
    if (of.type == CL_MEM_OBJECT_PIPE) return interp::PipeArgument{address};
    return interp::BufferArgument{address};
  }
  return interp::BytesArgument{};
}

void TellFindings(const Plan& plan, const interp::LaunchResult& result) {
  for (const interp::Finding& finding : result.findings) {
    std::fprintf(stderr, "assay: %s: %s: %s %s\n", plan.request.kernel.c_str(),
                 std::string(interp::NameOf(finding.rule)).c_str(), finding.message.c_str(),
                 finding.source.c_str());
  }
  if (result.end != interp::LaunchEnd::kCompleted) {
    std::fprintf(stderr, "assay: %s: %s\n", plan.request.kernel.c_str(), result.message.c_str());
  }
}

cl_int Run(const Plan& plan) {
  for (const auto& shared : plan.shared) shared->AddressFor(plan.memory.get());
  interp::LaunchRequest request = plan.request;
  for (const KernelArgument& argument : plan.arguments) {
    request.arguments.push_back(ArgumentFor(argument, plan.memory.get()));
    // What kernels may not do with it (CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY).
    const auto* object = std::get_if<Ref<Memory>>(&argument);
    if (object == nullptr || !*object) continue;
    // An image may be made from an image that is made from a sub-buffer.
    const Memory* shared = object->get();
    while (shared->parent) shared = shared->parent.get();
    const Memory& root = *shared;
    plan.memory->Restrict(root.storage->AddressFor(plan.memory.get()),
                          (root.flags & CL_MEM_WRITE_ONLY) == 0, (root.flags & CL_MEM_READ_ONLY) == 0);
  }
  const auto session = plan.executable->SessionFor(0);
  if (!session) Refuse(CL_OUT_OF_RESOURCES, session.error().message);
  const auto result = (*session)->Launch(request);
  if (!result) {
    std::fprintf(stderr, "assay: %s: %s\n", request.kernel.c_str(), result.error().message.c_str());
    return CL_OUT_OF_RESOURCES;
  }
  TellFindings(plan, *result);
  return result->end == interp::LaunchEnd::kCompleted ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

}  // namespace

std::function<cl_int()> LaunchOf(Kernel* kernel, Queue* queue, const interp::NdRange& range,
                                 std::vector<Ref<Object>>* uses) {
  auto plan = std::make_shared<Plan>();
  plan->executable = kernel->executable;
  plan->memory = kernel->program->context->memory;
  plan->arguments = kernel->arguments;
  plan->request.kernel = kernel->name;
  plan->request.range = range;
  plan->request.options = LaunchSettings();
  if (plan->request.options.threads == 0) plan->request.options.threads = queue->device->compute_units;
  plan->request.options.output = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
  };
  plan->request.options.should_stop = [] { return Driver::Get().scheduler->IsStopping(); };
  for (const auto& [address, storage] : queue->context->svm) plan->shared.push_back(storage);
  uses->emplace_back(kernel);
  return [plan]() -> cl_int {
    try {
      return Run(*plan);
    } catch (const ApiError& error) {
      TellError("clEnqueueNDRangeKernel", error);
      return error.code;
    } catch (const std::bad_alloc&) {
      return CL_OUT_OF_HOST_MEMORY;
    }
  };
}

}  // namespace assay::driver
