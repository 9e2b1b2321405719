#include "interp/launch/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "interp/detect/detectors.h"
#include "interp/detect/instance_races.h"
#include "interp/execute/execute.h"
#include "interp/launch/session_state.h"
#include "interp/lower/lower.h"

namespace assay::interp {

// --- sessions ---------------------------------------------------------------------------------

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;

Expected<std::unique_ptr<Session>> Session::Create(std::shared_ptr<const frontend::Module> module,
                                                   const SessionOptions& options) {
  auto memory = std::make_shared<Memory>(module->PointerBytes() == 4 ? kLayout32 : kLayout64,
                                         options.max_memory, options.placement_seed);
  return CreateIn(std::move(memory), std::move(module), options);
}

Expected<std::unique_ptr<Session>> Session::CreateIn(std::shared_ptr<Memory> memory,
                                                     std::shared_ptr<const frontend::Module> module,
                                                     const SessionOptions& options) {
  auto state = std::make_unique<State>(std::move(module));
  state->options = options;
  state->memory = std::move(memory);
  if (auto good = state->PlaceGlobals(); !good) return tl::unexpected(good.error());
  return std::unique_ptr<Session>(new Session(std::move(state)));
}

Session::State::~State() {
  for (const auto& [id, address] : addresses) (void)memory->Release(address);
}

const frontend::Module& Session::module() const { return *state_->module; }
const EnvelopeRecord* Session::EnvelopeOf(Address address) const {
  return state_->envelopes.Find(address >> state_->memory->layout().place_bits);
}
bool Session::IsUndecided() const { return state_->envelopes.is_undecided; }

Memory& Session::memory() { return *state_->memory; }

std::vector<std::string> Session::KernelNames() const { return state_->KernelNames(); }
Expected<KernelInfo> Session::FindKernel(std::string_view name) const {
  return state_->DescribeKernel(name);
}
Expected<void> Session::CheckKernel(std::string_view name) const {
  if (auto info = state_->DescribeKernel(name); !info) return tl::unexpected(info.error());
  return CheckLowering(state_->ContextFor(state_->options), *state_->module->FindKernel(name));
}

Expected<LaunchResult> Session::Launch(const LaunchRequest& request) {
  return state_->Launch(request);
}

// --- launching --------------------------------------------------------------------------------

LowerContext Session::State::ContextFor(const SessionOptions& with) const {
  LowerContext context;
  context.module = module.get();
  context.options = &with;
  context.addresses = &addresses;
  context.memory = memory.get();
  return context;
}

Expected<const Program*> Session::State::Lower(const frontend::EntryPoint& kernel, int width,
                                               bool screens) {
  const std::lock_guard lock(mutex);
  const std::tuple key(kernel.name, width, screens);
  if (const auto found = programs.find(key); found != programs.end()) return found->second.get();
  if (auto good = needs.Check(kernel); !good) return tl::unexpected(good.error());
  SessionOptions with_width = options;
  with_width.batch_width = std::max(width, 1);
  LowerContext context = ContextFor(with_width);
  context.debug = width <= 0;
  context.shadows = width < 0;
  context.screens = screens;
  auto program = LowerKernel(context, kernel);
  if (!program) return tl::unexpected(program.error());
  return (programs[key] = std::move(*program)).get();
}

Expected<LaunchResult> Session::State::RunInstance(const Instance& instance, Kin* kin) {
  const TimedRequest& request = *instance.request;
  const frontend::Function& function = *module->FindFunction(instance.entry->function);
  LaunchState launch;
  launch.watches = &AllWatches();
  launch.module = module.get();
  if (auto good = SetIndexSpace(request, *instance.info, &launch); !good) {
    return tl::unexpected(good.error());
  }
  auto program = Lower(*instance.entry, instance.width, instance.screens);
  if (!program) return tl::unexpected(program.error());
  launch.program = *program;
  if (auto good = CheckSubgroupCount(*instance.info, launch); !good)
    return tl::unexpected(good.error());
  launch.memory = memory.get();
  for (const auto& [id, address] : addresses) {
    const frontend::Instruction* definition = module->Definition(id);
    if (definition == nullptr) continue;
    launch.declarations[address] =
        static_cast<std::uint32_t>(definition - module->instructions.data());
  }
  if (options.envelope != nullptr) {
    launch.envelope = options.envelope.get();
    launch.envelope_records = &envelopes;
  }
  launch.imprecision = options.imprecision.get();
  launch.may_regroup = instance.may_regroup || options.detectors.IsEmpty();
  launch.options = request.options;
  launch.budget = options.budget;
  launch.deadline = request.deadline;
  launch.queues = kin->queues;
  launch.choices = kin->choices;
  launch.instance = instance.number;
  launch.instructions = kin->instructions;
  const base::Doing doing(options.budget, fmt::format("executing {}", instance.entry->name));
  launch.local_objects = local_objects;
  std::vector<Address> temporary;
  const auto bound = BindArguments(request, *instance.info, &launch, &temporary);
  LaunchResult result;
  if (bound) {
    FindRestrict(function, &launch);
    result = ExecuteLaunch(&launch, request, kin->kept);
    kin->instructions = std::max(kin->instructions, result.instructions);
    std::vector<Finding> more = MisalignedArguments(launch, function);
    result.findings.insert(result.findings.begin(), more.begin(), more.end());
    if (kin->races != nullptr) kin->races->Add(launch, &result.findings);
  }
  for (const Address address : temporary) (void)memory->Release(address);
  if (!bound) return tl::unexpected(bound.error());
  return result;
}

}  // namespace assay::interp
