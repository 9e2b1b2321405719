#include "driver/objects/program.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "base/digest.h"
#include "driver/core/settings.h"
#include "driver/objects/scheduler.h"

namespace assay::driver {

namespace {

// The kernel, functions that it calls, and blocks that they enqueue.
bool UsesDefaultQueue(const frontend::Module& module, const std::string& kernel) {
  using frontend::Op;
  std::vector<const frontend::Function*> open;
  std::set<frontend::Id> seen;
  const auto visit = [&](frontend::Id id) {
    const frontend::Function* function = module.FindFunction(id);
    if (function != nullptr && seen.insert(id).second) open.push_back(function);
  };
  if (const frontend::EntryPoint* entry = module.FindKernel(kernel)) visit(entry->function);
  while (!open.empty()) {
    const frontend::Function& function = *open.back();
    open.pop_back();
    for (const frontend::Block& block : function.blocks.Of(module.blocks)) {
      for (const frontend::Instruction& one : block.instructions.Of(module.instructions)) {
        if (one.opcode == Op::kGetDefaultQueue) return true;
        if (one.opcode != Op::kFunctionCall && one.opcode != Op::kEnqueueKernel) continue;
        for (const frontend::Word operand : module.Operands(one)) visit(operand);
      }
    }
  }
  return false;
}

// SPV_INTEL_kernel_attributes.
std::optional<std::array<std::uint32_t, 3>> MaxLocalSize(const frontend::Module& module,
                                                         const frontend::EntryPoint& kernel) {
  for (const frontend::ExecutionModeUse& use : kernel.modes) {
    const auto sizes = module.Slice(use.operands);
    if (use.mode == frontend::ExecutionMode::kMaxWorkgroupSizeINTEL && sizes.size() == 3)
      return std::array{sizes[0], sizes[1], sizes[2]};
  }
  return std::nullopt;
}

}  // namespace

Expected<std::shared_ptr<Executable>> Executable::Make(
    std::shared_ptr<const frontend::Module> module, std::weak_ptr<interp::Memory> memory) {
  auto made = std::make_shared<Executable>();
  made->module = module;
  made->memory_ = std::move(memory);
  // In a memory of its own, because a command may use the context's now.
  const auto session = interp::Session::Create(module, SessionSettings());
  if (!session) return tl::unexpected(session.error());
  for (const std::string& name : (*session)->KernelNames()) {
    KernelEntry entry;
    auto info = (*session)->FindKernel(name);
    if (info) {
      entry.info = std::move(*info);
      entry.declaration = frontend::ReadKernelInfo(*module, *module->FindKernel(name));
    } else {
      entry.info.name = name;
      entry.refusal = info.error().message;
    }
    entry.uses_default_queue = UsesDefaultQueue(*module, name);
    entry.max_local_size = MaxLocalSize(*module, *module->FindKernel(name));
    made->kernels.emplace(name, std::move(entry));
  }
  for (const interp::Region& region : (*session)->memory().regions()) {
    if (region.is_continuation) continue;
    if (region.space == interp::AddressSpace::kLocal) made->local_bytes += region.bytes;
    if (region.host != nullptr) made->global_bytes += region.bytes;
  }
  return made;
}

std::uint32_t Executable::SubgroupSize() const {
  const std::uint32_t size = SessionSettings().subgroup_size;
  return size == 0 ? interp::kSubgroupSize : size;
}

Executable::~Executable() {
  if (*session_ == nullptr) return;
  Driver::Get().scheduler->WhenIdle([session = session_] { session->reset(); });
}

Expected<interp::Session*> Executable::OpenSession() {
  if (*session_ == nullptr) {
    interp::SessionOptions settings = SessionSettings();
    settings.unsafe_math = unsafe_math;
    auto session = interp::Session::CreateIn(memory_.lock(), module, settings);
    if (!session) return tl::unexpected(session.error());
    *session_ = std::move(*session);
  }
  return session_->get();
}

std::string NameOfSource(const std::string& source) {
  return fmt::format("program-{:.8}.cl", base::Sha256(source));
}

Program::Program(Context* in, ProgramOrigin from)
    : Object(kKind), context(in), origin(from), devices(in->devices) {}

Program::~Program() = default;

Kernel::Kernel(Program* of, std::shared_ptr<Executable> built, std::string of_name)
    : Object(kKind), program(of), executable(std::move(built)), name(std::move(of_name)) {
  arguments.resize(info().parameters.size());
  ++of->kernels;
}

Kernel::~Kernel() { --program->kernels; }

}  // namespace assay::driver
