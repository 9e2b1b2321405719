// Launches of kernels.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "driver/core/interrupt.h"
#include "driver/core/settings.h"
#include "driver/objects/kernel_accesses.h"
#include "driver/objects/plan.h"
#include "driver/objects/save_job.h"
#include "driver/objects/scheduler.h"
#include "driver/objects/svm.h"
#include "driver/report/frames.h"
#include "driver/report/log.h"
#include "frontend/source_callers.h"

namespace assay::driver {

namespace {

template <typename T>
Ref<T> Bind(const Weak<T>& argument, std::size_t place, const Kernel& kernel) {
  T* object = argument.get();
  if (object == nullptr && !argument.IsNull()) {
    RefuseAs(interp::Rule::kHostReleasedObject, CL_INVALID_KERNEL_ARGS,
             fmt::format("argument {} of kernel '{}', {} {}, was released", place, kernel.name,
                         KindName(T::kKind), argument.number()));
  }
  return object;
}

BoundArgument Bind(const KernelArgument& argument, std::size_t place, const Kernel& kernel) {
  if (const auto* memory = std::get_if<Weak<Memory>>(&argument))
    return Bind(*memory, place, kernel);
  if (const auto* sampler = std::get_if<Weak<Sampler>>(&argument))
    return Bind(*sampler, place, kernel);
  if (const auto* queue = std::get_if<Weak<Queue>>(&argument)) return Bind(*queue, place, kernel);
  if (const auto* local = std::get_if<LocalSize>(&argument)) return *local;
  if (const auto* svm = std::get_if<SvmPointer>(&argument)) return *svm;
  return std::get<std::vector<std::byte>>(argument);
}

// Which queues on the device the kernel has, and how much they hold.
void TakeDeviceQueues(const Queue& queue, Plan* plan) {
  const auto& defaults = queue.context->default_queues;
  if (const auto found = defaults.find(queue.device.get()); found != defaults.end()) {
    plan->default_queue = found->second;
  }
  interp::LaunchOptions& options = plan->request.options;
  options.device_queue_size = plan->default_queue ? plan->default_queue->Capacity() : 0;
  for (const BoundArgument& argument : plan->arguments) {
    const auto* given = std::get_if<Ref<Queue>>(&argument);
    if (given == nullptr || !*given || *given == plan->default_queue) continue;
    if (std::ranges::find(plan->queues, *given) != plan->queues.end()) continue;
    plan->queues.push_back(*given);
    options.queue_sizes.push_back((*given)->Capacity());
  }
}

// What the kernel was told that it may reach.
void TakeTold(const Kernel& kernel, Context* context, const Device& device, Plan* plan) {
  const auto tell_of = [&](const void* pointer) {
    if (const SvmRange range = FindSvm(context, pointer);
        range && range.left() != 0 && IsFor(*range.allocation, &device))
      plan->told.push_back(range.storage);
  };
  for (const auto& [address, allocation] : context->svm) {
    const bool is_of_type =
        allocation.is_usm && (kernel.reached_usm_types >> allocation.type & 1) != 0;
    if (kernel.reaches_all_svm || is_of_type) tell_of(allocation.storage->shared());
  }
  const auto tell_of_buffer = [&](std::uint64_t address) {
    for (const Memory* buffer : context->addressed) {
      if (address - buffer->DeviceAddress() < buffer->size) plan->told.push_back(buffer->storage);
    }
  };
  for (const void* pointer : kernel.svm_pointers) tell_of(pointer);
  for (const void* pointer : kernel.usm_pointers) tell_of(pointer);
  for (const std::uint64_t address : kernel.device_pointers) tell_of_buffer(address);
  for (const BoundArgument& argument : plan->arguments) {
    // Packets of a pipe are ordered by its own operations.
    if (const auto* object = std::get_if<Ref<Memory>>(&argument);
        object != nullptr && *object && (*object)->type != CL_MEM_OBJECT_PIPE) {
      plan->told.push_back((*object)->storage);
    }
    const auto* pointer = std::get_if<SvmPointer>(&argument);
    if (pointer == nullptr) continue;
    tell_of(reinterpret_cast<const void*>(pointer->address));  // NOLINT
    tell_of_buffer(pointer->address);
  }
}

// A device queue by its number in this launch: the default one is 0.
interp::Argument QueueNumber(const Plan& plan, const Queue* queue) {
  if (queue == nullptr) return interp::BufferArgument{0};
  if (queue == plan.default_queue.get()) return interp::QueueArgument{0};
  const auto found =
      std::ranges::find(plan.queues, queue, [](const Ref<Queue>& each) { return each.get(); });
  return interp::QueueArgument{static_cast<std::uint32_t>(found - plan.queues.begin()) + 1};
}

interp::Argument ArgumentFor(const Plan& plan, const BoundArgument& argument,
                             interp::Memory* memory) {
  if (const auto* bytes = std::get_if<std::vector<std::byte>>(&argument)) {
    return interp::BytesArgument{*bytes};
  }
  if (const auto* local = std::get_if<LocalSize>(&argument))
    return interp::LocalArgument{local->bytes};
  if (const auto* svm = std::get_if<SvmPointer>(&argument))
    return interp::BufferArgument{svm->address};
  if (const auto* sampler = std::get_if<Ref<Sampler>>(&argument)) {
    return interp::SamplerArgument{(*sampler)->sampler};
  }
  if (const auto* queue = std::get_if<Ref<Queue>>(&argument))
    return QueueNumber(plan, queue->get());
  const auto& object = std::get<Ref<Memory>>(argument);
  if (!object) return interp::BufferArgument{0};
  const interp::Address address = object->storage->AddressFor(memory) + object->offset;
  if (object->IsImage()) return interp::ImageArgument{address, object->image->descriptor};
  if (object->type == CL_MEM_OBJECT_PIPE) return interp::PipeArgument{address};
  return interp::BufferArgument{address};
}

// The names that the kernel has for each memory object: "buffer 3" is "'x'", or "'x' and 'y'".
std::map<std::string, std::string> ParameterNames(const Plan& plan) {
  std::map<std::string, std::string> names;
  const auto& parameters = plan.executable->kernels.at(plan.request.kernel).info.parameters;
  for (std::size_t i = 0; i < std::min(plan.arguments.size(), parameters.size()); ++i) {
    const auto* object = std::get_if<Ref<Memory>>(&plan.arguments[i]);
    if (object == nullptr || !*object || parameters[i].name.empty()) continue;
    std::string& name = names[(*object)->storage->name()];
    name += fmt::format("{}'{}'", name.empty() ? "" : " and ", parameters[i].name);
  }
  return names;
}

// "global memory 'buffer 3'" as "global memory 'x' (buffer 3)"; the second time as "'x'".
void NameArguments(const std::map<std::string, std::string>& names, std::string* text) {
  for (const auto& [object, name] : names) {
    const std::string said = fmt::format("'{}'", object);
    std::string better = fmt::format("{} ({})", name, object);
    for (std::size_t at = text->find(said); at != std::string::npos; at = text->find(said, at)) {
      text->replace(at, said.size(), better);
      at += better.size();
      better = name;
    }
  }
}

void TellFindings(const Plan& plan, const interp::LaunchResult& result, const std::string& job) {
  if (result.findings.empty() && result.end == interp::LaunchEnd::kCompleted) return;
  if (!Log::Get().IsOn()) return;
  const std::vector<ProgramSource>& sources = plan.executable->sources;
  // The compiler works in the root folder: the program's name has that before it in its places.
  std::vector<interp::Finding> findings = result.findings;
  const auto names = ParameterNames(plan);
  for (interp::Finding& finding : findings) {
    NameArguments(names, &finding.message);
    NameArguments(names, &finding.object);
    for (std::string& line : finding.history) NameArguments(names, &line);
    for (const ProgramSource& source : sources) {
      if (finding.source.starts_with("/" + source.path + ":")) finding.source.erase(0, 1);
      for (std::string& line : finding.history) {
        const std::size_t at = line.find(" /" + source.path + ":");
        if (at != std::string::npos) line.erase(at + 1, 1);
      }
    }
  }
  LaunchFindings told;
  told.job = job;
  told.kernel = plan.request.kernel;
  told.launch = plan.number;
  told.program = plan.executable->name;
  told.sources = sources;
  told.findings = findings;
  for (const interp::Finding& finding : findings) {
    told.callers.push_back(frontend::SourceCallers(*plan.executable->module,
                                                   finding.place.instruction, finding.place.calls));
  }
  told.end = result.end;
  told.message = result.message;
  told.frames = FramesOf(plan.stack);
  Log::Get().Tell(told);
}

// What kernels may not do with memory (CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY).  Without checks it is
// as on other devices: the flags are a promise.
void Restrict(interp::Memory* memory, interp::Address address, cl_mem_flags flags) {
  if (!Log::Get().settings().checks) return;
  memory->Restrict(address, (flags & CL_MEM_WRITE_ONLY) == 0, (flags & CL_MEM_READ_ONLY) == 0);
}

std::uint64_t launches = 0;  // enqueued in this process; guarded by the driver's lock

cl_int Run(const Plan& plan, const PlannedAccesses& planned) {
  // Before the first kernel that has them, buffers are known to be undefined as a whole.
  const std::string job = SaveIfAsked(plan);
  for (const SvmAllocation& shared : plan.shared) {
    const interp::Address address = shared.storage->AddressFor(plan.memory.get());
    constexpr cl_svm_mem_flags kLimited = CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
    if ((shared.flags & kLimited) == 0) continue;
    Restrict(plan.memory.get(), address, shared.flags);
  }
  interp::LaunchRequest request = plan.request;
  request.keep_accesses = NeedsAccesses(plan, planned);
  for (const SvmAllocation& shared : plan.shared)
    request.also_reached.push_back(shared.storage->address());
  const auto& parameters = plan.executable->kernels.at(plan.request.kernel).info.parameters;
  for (const BoundArgument& argument : plan.arguments) {
    const interp::ParameterInfo& parameter = parameters.at(request.arguments.size());
    request.arguments.push_back(ArgumentFor(plan, argument, plan.memory.get()));
    const auto* object = std::get_if<Ref<Memory>>(&argument);
    if (object == nullptr || !*object) continue;
    // An image may be made from an image that is made from a sub-buffer.
    const Memory* shared = object->get();
    while (shared->parent) shared = shared->parent.get();
    const Memory& root = *shared;
    root.storage->last_use = {.kernel = plan.request.kernel,
                              .parameter = parameter.name,
                              .element_bytes = std::max<std::uint64_t>(1, parameter.alignment)};
    if (root.storage->IsShared()) continue;  // it has the flags of clSVMAlloc
    Restrict(plan.memory.get(), root.storage->AddressFor(plan.memory.get()), root.flags);
  }
  const auto session = plan.executable->OpenSession();
  if (!session) Refuse(CL_OUT_OF_RESOURCES, session.error().message);
  const InterruptWatch watch;
  const auto result = (*session)->Launch(request);
  if (!result) Refuse(CL_OUT_OF_RESOURCES, result.error().message);
  if (request.keep_accesses) CheckKernelAccesses(plan, planned, result->accesses);
  TellFindings(plan, *result, job);
  if (result->end != interp::LaunchEnd::kCompleted) {
    for (const BoundArgument& argument : plan.arguments) {
      const auto* object = std::get_if<Ref<Memory>>(&argument);
      if (object != nullptr && *object) (*object)->storage->is_unfinished = true;
    }
    for (const SvmAllocation& shared : plan.shared) shared.storage->is_unfinished = true;
  }
  return result->end == interp::LaunchEnd::kCompleted ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

// Returns the code of what Run throws.
cl_int RunOrTell(const Plan& plan, const PlannedAccesses& planned) {
  try {
    return Run(plan, planned);
  } catch (const ApiError& error) {
    TellError("clEnqueueNDRangeKernel", error);
    return error.code;
  } catch (const std::bad_alloc&) {
    return CL_OUT_OF_HOST_MEMORY;
  }
}

// Where the text says "must create a default device queue".
void CheckDefaultQueue(const Plan& plan) {
  const auto& entry = plan.executable->kernels.at(plan.request.kernel);
  if (!entry.uses_default_queue || plan.default_queue || !Log::Get().IsOn()) return;
  TellMisuse(plan.call, interp::Rule::kHostDefaultQueue,
             fmt::format("kernel '{}' calls get_default_queue, and no default device queue was "
                         "created",
                         plan.request.kernel),
             {}, &plan.stack);
}

}  // namespace

std::uint64_t LaunchCount() { return launches; }

void PrepareLaunch(Kernel* kernel, Queue* queue, const interp::NdRange& range,
                   Submission* submission) {
  auto plan = std::make_shared<Plan>();
  plan->executable = kernel->executable;
  plan->number = ++launches;
  if (Log::Get().IsOn()) plan->stack = CaptureStack();
  plan->memory = kernel->program->context->memory;
  for (std::size_t i = 0; i < kernel->arguments.size(); ++i) {
    plan->arguments.push_back(Bind(kernel->arguments[i], i, *kernel));
  }
  plan->request.kernel = kernel->name;
  plan->request.range = range;
  plan->request.options = LaunchSettings();
  if (plan->request.options.threads == 0)
    plan->request.options.threads = queue->device->compute_units;
  plan->request.options.output = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
  };
  plan->request.options.should_stop = [] {
    return InterruptWatch::IsInterrupted() || Driver::Get().scheduler->IsStopping();
  };
  for (const auto& [address, allocation] : queue->context->svm) {
    plan->shared.push_back({.storage = allocation.storage,
                            .flags = allocation.flags,
                            .type = allocation.type,
                            .device = allocation.device,
                            .is_usm = allocation.is_usm});
    if ((allocation.flags & (CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS)) != 0) {
      plan->request.options.is_shared = true;
    }
    if ((allocation.flags & CL_MEM_SVM_ATOMICS) != 0) {
      plan->request.options.has_host_atomics = true;
    }
  }
  for (const Memory* buffer : queue->context->addressed) {
    plan->shared.push_back({.storage = buffer->storage, .flags = buffer->flags});
  }
  TakeTold(*kernel, queue->context.get(), *queue->device, plan.get());
  TakeDeviceQueues(*queue, plan.get());
  CheckDefaultQueue(*plan);
  submission->uses.emplace_back(kernel);
  if (Recorder::Current() != nullptr) {
    plan->call = "clCommandNDRangeKernelKHR";
    for (const BoundArgument& argument : plan->arguments) {
      if (const auto* memory = std::get_if<Ref<Memory>>(&argument); memory != nullptr && *memory)
        submission->arguments.emplace_back(*memory);
      if (const auto* sampler = std::get_if<Ref<Sampler>>(&argument))
        submission->arguments.emplace_back(*sampler);
    }
  }
  if (!Log::Get().IsOn()) {
    submission->work = [plan] { return RunOrTell(*plan, {}); };
    return;
  }
  submission->make_work = [plan](const Event& event) -> std::function<cl_int()> {
    return [plan, planned = PlanAccesses(event, *plan)] { return RunOrTell(*plan, planned); };
  };
}

}  // namespace assay::driver
