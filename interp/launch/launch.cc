#include "interp/launch/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "base/threads.h"
#include "interp/detect/detectors.h"
#include "interp/execute/choice.h"
#include "interp/execute/execute.h"
#include "interp/import/import.h"
#include "interp/launch/schedule.h"
#include "interp/launch/session_state.h"
#include "interp/lower/lower.h"
#include "interp/program/debug_hook.h"

namespace assay::interp {

using frontend::ConstantKind;
using frontend::StorageClass;
using frontend::TypeKind;

// --- program-scope variables ------------------------------------------------------------------

Expected<void> Session::State::PlaceGlobals() {
  for (const frontend::GlobalVariable& global : module->globals) {
    const frontend::Type* type = module->types.Find(global.pointee);
    const std::string name(module->NameOf(global.id));
    if (type == nullptr || global.storage_class == StorageClass::kInput) continue;
    // A sampler or a queue: the kernels that use it are refused.
    if (type->kind == TypeKind::kOpaque) continue;
    const auto* linkage =
        module->FindDecoration(global.id, frontend::Decoration::kLinkageAttributes);
    bool imported = false;
    for (const frontend::Linkage& link : module->linkage) {
      imported |= linkage != nullptr && link.target == global.id &&
                  link.type == frontend::LinkageType::kImport;
    }
    if (imported) continue;  // a use of it is an error
    Expected<Address> address;
    if (global.storage_class == StorageClass::kWorkgroup) {
      address = memory->Reserve(type->size, AddressSpace::kLocal, name, global.alignment);
      if (address) local_objects.push_back({*address, type->size, 0});
    } else {
      const bool constant =
          global.storage_class == StorageClass::kUniformConstant || global.constant;
      address =
          memory->Allocate(type->size, constant ? AddressSpace::kConstant : AddressSpace::kGlobal,
                           name, !constant, global.alignment);
    }
    if (!address) {
      return Fail(address.error().kind,
                  fmt::format("{}: variable {}: {}", module->name, module->Describe(global.id),
                              address.error().message));
    }
    addresses[global.id] = *address;
  }
  for (const frontend::GlobalVariable& global : module->globals) {
    if (global.initializer == 0 || !addresses.contains(global.id)) continue;
    const std::span<std::byte> bytes = memory->Bytes(addresses[global.id]);
    if (bytes.empty()) continue;
    frontend::Constant address;
    const frontend::Constant* constant = module->constants.Find(global.initializer);
    if (constant == nullptr) {  // another variable's address
      address.kind = ConstantKind::kAddress;
      address.variable = global.initializer;
      constant = &address;
    }
    if (auto good = Initialize(bytes, global.pointee, *constant); !good) return good;
  }
  return {};
}

Expected<void> Session::State::Initialize(std::span<std::byte> bytes, frontend::Id type_id,
                                          const frontend::Constant& constant) {
  const frontend::Type& type = *module->types.Find(type_id);
  switch (constant.kind) {
    case ConstantKind::kNull:
    case ConstantKind::kUndefined:
      return {};  // zero already
    case ConstantKind::kComposite: {
      if (type.kind != TypeKind::kStruct && type.kind != TypeKind::kArray &&
          type.kind != TypeKind::kVector) {
        return Fail(ErrorKind::kUsage, fmt::format("{}: {} initialises a variable of another type",
                                                   module->name, module->Describe(constant.id)));
      }
      for (std::uint32_t i = 0; i < constant.part_count && !bytes.empty(); ++i) {
        frontend::Id part_type = type.element;
        std::uint64_t offset = 0;
        if (type.kind == TypeKind::kStruct) {
          if (i >= type.count) break;
          part_type = module->types.Members(type)[i];
          offset = module->types.Offsets(type)[i];
        } else {
          offset = i * module->types.Find(type.element)->size;
        }
        const std::uint64_t size = module->types.Find(part_type)->size;
        if (offset > bytes.size() || size > bytes.size() - offset) break;
        auto good =
            Initialize(bytes.subspan(offset, size), part_type, module->constants.Part(constant, i));
        if (!good) return good;
      }
      return {};
    }
    case ConstantKind::kScalar:
      std::memcpy(bytes.data(), &constant.bits, std::min<std::size_t>(bytes.size(), 8));
      return {};
    default: {
      const auto address = EvaluateAddress(*module, addresses, constant);
      if (!address) {
        return Fail(ErrorKind::kUnsupported,
                    fmt::format("{}: {} initialises a variable with an expression that is not "
                                "evaluated here",
                                module->name, module->Describe(constant.id)));
      }
      std::memcpy(bytes.data(), &*address, std::min<std::size_t>(bytes.size(), 8));
      return {};
    }
  }
}

// --- sessions ---------------------------------------------------------------------------------

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;

Expected<std::unique_ptr<Session>> Session::Create(std::shared_ptr<const frontend::Module> module,
                                                   const SessionOptions& options) {
  auto state = std::make_unique<State>(std::move(module));
  state->options = options;
  state->memory =
      std::make_unique<Memory>(state->module->PointerBytes() == 4 ? kLayout32 : kLayout64,
                               options.max_memory, options.placement_seed);
  if (auto good = state->PlaceGlobals(); !good) return tl::unexpected(good.error());
  return std::unique_ptr<Session>(new Session(std::move(state)));
}

const frontend::Module& Session::module() const { return *state_->module; }
Memory& Session::memory() { return *state_->memory; }

std::vector<std::string> Session::KernelNames() const { return state_->KernelNames(); }
Expected<KernelInfo> Session::FindKernel(std::string_view name) const {
  return state_->DescribeKernel(name);
}
Expected<void> Session::CheckKernel(std::string_view name) const {
  if (auto info = state_->DescribeKernel(name); !info) return tl::unexpected(info.error());
  return CheckLowering(state_->ContextFor(state_->options), *state_->module->FindKernel(name));
}

std::vector<std::string> Session::State::KernelNames() const {
  std::vector<std::string> names;
  for (const frontend::EntryPoint& entry : module->entry_points) {
    if (entry.model == frontend::ExecutionModel::kKernel) names.push_back(entry.name);
  }
  return names;
}

namespace {

ParameterKind KindOfPointer(StorageClass storage_class) {
  switch (storage_class) {
    case StorageClass::kWorkgroup:
      return ParameterKind::kLocal;
    case StorageClass::kUniformConstant:
      return ParameterKind::kConstant;
    case StorageClass::kFunction:
      return ParameterKind::kByVal;
    default:
      return ParameterKind::kGlobal;
  }
}

// llvm-spirv makes an entry point a function of its own, which calls the kernel and names nothing.
std::string ParameterName(const frontend::Module& module, const frontend::Function& function,
                          frontend::Id parameter) {
  if (const auto name = module.NameOf(parameter); !name.empty()) return std::string(name);
  for (const frontend::Block& block : function.blocks.Of(module.blocks)) {
    for (const frontend::Instruction& call : block.instructions.Of(module.instructions)) {
      if (call.opcode != frontend::Op::kFunctionCall) continue;
      const auto operands = module.Operands(call);
      const frontend::Function* callee = module.FindFunction(operands[0]);
      if (callee == nullptr) continue;
      const auto names = callee->parameters.Of(module.parameters);
      for (std::size_t i = 1; i < operands.size() && i <= names.size(); ++i) {
        if (operands[i] == parameter) return std::string(module.NameOf(names[i - 1].id));
      }
    }
  }
  return "";
}

// A structure by the name that its source gives it; the compilers call it "struct.pair".
std::string TypeText(const frontend::Module& module, frontend::Id id) {
  const std::string text = module.types.Describe(id);
  const frontend::Type* type = module.types.Find(id);
  for (int depth = 0; depth < 32 && type != nullptr; ++depth) {
    if (type->kind != TypeKind::kPointer && type->kind != TypeKind::kArray) break;
    id = type->element;
    type = module.types.Find(id);
  }
  std::string_view name = module.NameOf(id);
  if (type == nullptr || type->kind != TypeKind::kStruct || name.empty()) return text;
  if (name.starts_with("struct.")) name.remove_prefix(std::string_view("struct.").size());
  const std::string number = fmt::format("struct %{}", id);
  if (!text.starts_with(number)) return text;
  return fmt::format("struct {}{}", name, text.substr(number.size()));
}

// What a launch owes to a pointer parameter: its type's alignment and what attributes say.  LLVM's
// own back end has pointers to bytes only: where it says nothing, nothing is known.
std::uint64_t PromisedAlignment(const frontend::Module& module, frontend::Id parameter,
                                const frontend::Type* pointee) {
  constexpr std::uint32_t kBackend = 43;
  const std::uint64_t own = pointee == nullptr ? 1 : pointee->alignment;
  const auto* use = module.FindDecoration(parameter, frontend::Decoration::kAlignment);
  if (use == nullptr || module.Slice(use->operands).empty()) {
    return module.generator >> 16 == kBackend ? std::max(own, kBufferAlignment) : own;
  }
  return std::max<std::uint64_t>(own, module.Slice(use->operands)[0]);
}

}  // namespace

Expected<KernelInfo> Session::State::DescribeKernel(std::string_view name) const {
  const frontend::Module& module = *this->module;
  const frontend::EntryPoint* entry = module.FindKernel(name);
  if (entry == nullptr) {
    std::vector<std::string> names = KernelNames();
    return Fail(ErrorKind::kUsage, names.empty()
                                       ? fmt::format("{} has no kernels", module.name)
                                       : fmt::format("{} has no kernel '{}'; it has: {}",
                                                     module.name, name, fmt::join(names, ", ")));
  }
  const frontend::Function* function = module.FindFunction(entry->function);
  if (function == nullptr) {
    return Fail(ErrorKind::kUsage, fmt::format("kernel {} has no body", name));
  }
  if (auto good = needs.Check(*entry); !good) return tl::unexpected(good.error());
  KernelInfo info;
  info.name = entry->name;
  info.required_local_size = entry->required_local_size;
  const auto parameters = function->parameters.Of(module.parameters);
  for (const frontend::Parameter& parameter : parameters) {
    ParameterInfo one;
    one.name = ParameterName(module, *function, parameter.id);
    one.type = TypeText(module, parameter.type);
    const frontend::Type* type = module.types.Find(parameter.type);
    if (type == nullptr) return Fail(ErrorKind::kUsage, "a parameter without a type");
    one.bytes = type->size;
    if (type->kind == TypeKind::kPointer) {
      one.kind = KindOfPointer(type->storage_class);
      const frontend::Type* pointee = module.types.Find(type->element);
      if (one.kind == ParameterKind::kByVal) one.bytes = pointee == nullptr ? 0 : pointee->size;
      one.alignment = PromisedAlignment(module, parameter.id, pointee);
    } else if (type->kind == TypeKind::kOpaque) {
      return Fail(ErrorKind::kUnsupported,
                  fmt::format("kernel {}: parameter {} is a {}, which is not executed yet", name,
                              info.parameters.size(), one.type));
    }
    info.parameters.push_back(std::move(one));
  }
  return info;
}

Expected<LaunchResult> Session::Launch(const LaunchRequest& request) {
  return state_->Launch(request);
}

std::array<std::uint64_t, 3> ChooseLocalSize(const NdRange& range) {
  // As many work-items as a batch holds, in the first dimensions; at most half of them wasted.
  std::array<std::uint64_t, 3> local = {1, 1, 1};
  std::uint64_t room = 64;
  for (int d = 0; d < 3 && room > 1; ++d) {
    const std::uint64_t global = std::max<std::uint64_t>(range.global[d], 1);
    std::uint64_t best = 1;
    for (std::uint64_t size = std::min(room, global); size > 1; --size) {
      if (global % size == 0) {
        best = size;
        break;
      }
    }
    // A prime number of work-items: the last group is smaller.
    local[d] = best < std::min(room, global) / 2 ? std::min(room, global) : best;
    room /= local[d];
  }
  return local;
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

Expected<const Program*> Session::State::Lower(const frontend::EntryPoint& kernel, int width) {
  const std::lock_guard lock(mutex);
  const std::pair key(kernel.name, width);
  if (const auto found = programs.find(key); found != programs.end()) return found->second.get();
  if (auto good = needs.Check(kernel); !good) return tl::unexpected(good.error());
  SessionOptions with_width = options;
  with_width.batch_width = std::max(width, 1);
  LowerContext context = ContextFor(with_width);
  context.debug = width <= 0;
  context.shadows = width < 0;
  auto program = LowerKernel(context, kernel);
  if (!program) return tl::unexpected(program.error());
  return (programs[key] = std::move(*program)).get();
}

namespace {

// What a launch has to give, where it gives another number of arguments.
tl::unexpected<Error> WrongCount(const KernelInfo& info, std::size_t given) {
  std::string list;
  for (const ParameterInfo& parameter : info.parameters) {
    list += fmt::format("{}{}{}{}", list.empty() ? ": " : ", ", parameter.name,
                        parameter.name.empty() ? "" : " ", parameter.type);
  }
  const std::size_t wanted = info.parameters.size();
  return Fail(ErrorKind::kUsage,
              fmt::format("kernel {} takes {} argument{}, and {} {} given{}", info.name, wanted,
                          wanted == 1 ? "" : "s", given, given == 1 ? "is" : "are", list));
}

}  // namespace

Expected<void> Session::State::BindArguments(const LaunchRequest& request, const KernelInfo& info,
                                             LaunchState* launch, std::vector<Address>* temporary) {
  if (request.arguments.size() != info.parameters.size()) {
    return WrongCount(info, request.arguments.size());
  }
  const auto as_bytes = [](std::uint64_t value) {
    std::vector<std::byte> bytes(8);
    std::memcpy(bytes.data(), &value, 8);
    return bytes;
  };
  std::unordered_set<Address> writable;  // buffers that are given as global memory, too
  for (std::size_t i = 0; i < info.parameters.size(); ++i) {
    const ParameterInfo& parameter = info.parameters[i];
    const auto wrong = [&](std::string_view wanted) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("argument {}{} of kernel {} ({}) must be {}", i,
                              parameter.name.empty() ? "" : " '" + parameter.name + "'", info.name,
                              parameter.type, wanted));
    };
    switch (parameter.kind) {
      case ParameterKind::kValue:
      case ParameterKind::kByVal: {
        const auto* bytes = std::get_if<BytesArgument>(&request.arguments[i]);
        if (bytes == nullptr || bytes->bytes.size() != parameter.bytes) {
          return wrong(bytes == nullptr ? fmt::format("a value of {} bytes", parameter.bytes)
                                        : fmt::format("a value of {} bytes, not of {}",
                                                      parameter.bytes, bytes->bytes.size()));
        }
        if (parameter.kind == ParameterKind::kValue) {
          launch->parameters.push_back(bytes->bytes);
          break;
        }
        auto address = memory->Allocate(parameter.bytes, AddressSpace::kConstant,
                                        fmt::format("argument {}", i), false, parameter.alignment);
        if (!address) return tl::unexpected(address.error());
        temporary->push_back(*address);
        std::ranges::copy(bytes->bytes, memory->Bytes(*address).begin());
        launch->parameters.push_back(as_bytes(*address));
        break;
      }
      case ParameterKind::kGlobal:
      case ParameterKind::kConstant: {
        const auto* buffer = std::get_if<BufferArgument>(&request.arguments[i]);
        if (buffer == nullptr) return wrong("a buffer or null");
        launch->parameters.push_back(as_bytes(buffer->address));
        const std::uint64_t place = buffer->address >> memory->layout().place_bits;
        if (place == 0 || place >= memory->regions().size()) break;
        const Address begin = memory->regions()[place].address;
        (parameter.kind == ParameterKind::kConstant ? launch->constant_buffers : writable)
            .insert(begin);
        break;
      }
      case ParameterKind::kLocal: {
        const auto* local = std::get_if<LocalArgument>(&request.arguments[i]);
        if (local == nullptr) return wrong("a size of local memory");
        auto address =
            memory->Reserve(local->bytes, AddressSpace::kLocal,
                            parameter.name.empty() ? fmt::format("argument {}", i) : parameter.name,
                            parameter.alignment);
        if (!address) return tl::unexpected(address.error());
        temporary->push_back(*address);
        launch->local_objects.push_back({*address, local->bytes, 0});
        launch->parameters.push_back(as_bytes(*address));
        break;
      }
    }
  }
  std::erase_if(launch->constant_buffers,
                [&](Address buffer) { return writable.contains(buffer); });
  return {};
}

namespace {

// "OpIAdd", "OpExtInst sin"; sets other than OpenCL.std are not executed.
std::string CountedName(const frontend::Module& module, const frontend::Instruction& instruction) {
  std::string name = frontend::NameOf(instruction.opcode);
  if (instruction.opcode != frontend::Op::kExtInst) return name;
  const std::uint32_t number = module.Operands(instruction)[1];
  const auto rule = frontend::FindInstruction(frontend::ExtendedSet::kOpenClStd, number);
  return rule ? fmt::format("{} {}", name, rule->name) : name;
}

Expected<void> SetIndexSpace(const LaunchRequest& request, const KernelInfo& info,
                             LaunchState* launch) {
  NdRange& range = launch->range;
  range = request.range;
  if (range.dimensions < 1 || range.dimensions > 3) {
    return Fail(ErrorKind::kUsage, "an index space has 1, 2 or 3 dimensions");
  }
  for (int d = range.dimensions; d < 3; ++d) {
    range.global[d] = 1;
    range.offset[d] = 0;
    if (range.local) (*range.local)[d] = 1;
  }
  std::uint64_t items = 1;
  for (int d = 0; d < 3; ++d) {
    if (range.global[d] != 0 && items > (std::uint64_t{1} << 48) / range.global[d]) {
      return Fail(ErrorKind::kUsage, "an index space of more than 2^48 work-items");
    }
    items *= range.global[d];
    // clEnqueueNDRangeKernel: CL_INVALID_GLOBAL_OFFSET.
    const std::uint64_t most = ~std::uint64_t{0} >> (64 - launch->module->PointerBytes() * 8);
    if (range.global[d] > most || range.offset[d] > most - range.global[d]) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("global ids beyond {}, the largest size_t: {} work-items from {} on",
                              most, range.global[d], range.offset[d]));
    }
  }
  if (info.required_local_size) {
    std::array<std::uint64_t, 3> required;
    std::copy(info.required_local_size->begin(), info.required_local_size->end(), required.begin());
    if (range.local && *range.local != required) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("kernel {} requires work-groups of {} (reqd_work_group_size), not {}",
                              info.name, fmt::join(required, ","), fmt::join(*range.local, ",")));
    }
    range.local = required;
  }
  launch->local = range.local ? *range.local : ChooseLocalSize(range);
  std::uint64_t local = 1;
  for (int d = 0; d < 3; ++d) {
    if (launch->local[d] == 0 || launch->local[d] > 65536 || (local *= launch->local[d]) > 65536) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("work-groups of {} work-items; 1 to 65536 are possible",
                              fmt::join(launch->local, "x")));
    }
    launch->groups[d] = (range.global[d] + launch->local[d] - 1) / launch->local[d];
  }
  return {};
}

// In an order that does not depend on the threads.
std::vector<MathRecord> MergeMathRecords(const std::vector<std::unique_ptr<Worker>>& workers) {
  std::vector<MathRecord> merged;
  for (const auto& worker : workers) {
    std::ranges::move(worker->math_records(), std::back_inserter(merged));
  }
  std::ranges::stable_sort(
      merged, {}, [](const MathRecord& record) { return std::pair(record.group, record.item); });
  return merged;
}

// The findings of all threads in the order of work-groups, each place once.
std::vector<Finding> MergeFindings(std::span<const std::unique_ptr<Worker>> workers) {
  Worker::Findings merged;
  for (const auto& worker : workers) {
    for (const auto& [key, found] : worker->findings()) {
      const auto [place, added] = merged.try_emplace(key, found);
      if (added) continue;
      const std::uint64_t count = place->second.finding.count + found.finding.count;
      if (found.group < place->second.group) place->second = found;
      place->second.finding.count = count;
    }
  }
  std::vector<const Worker::Found*> order;
  for (const auto& [key, found] : merged) order.push_back(&found);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::pair(a->group, a->number) < std::pair(b->group, b->number);
  });
  std::vector<Finding> findings;
  for (const auto* found : order) findings.push_back(found->finding);
  return findings;
}

}  // namespace

namespace {

// Which regions stores and atomics of the program may reach.
void FindWrittenPlaces(LaunchState* launch) {
  const Program& program = *launch->program;
  launch->written_places.assign(launch->memory->regions().size(), program.writes_anywhere);
  const auto mark = [&](Address address) {
    const std::uint64_t place = address >> launch->memory->layout().place_bits;
    if (place >= launch->written_places.size()) return;
    const Address begin = launch->memory->regions()[place].address;
    launch->written_places[begin >> launch->memory->layout().place_bits] = true;
  };
  for (const std::uint64_t address : program.written_addresses) mark(address);
  for (const std::uint32_t parameter : program.written_parameters) {
    Address address = 0;
    const std::vector<std::byte>& bytes = launch->parameters[parameter];
    for (std::size_t at = 0; at < bytes.size(); at += sizeof address) {
      std::memcpy(&address, bytes.data() + at, std::min(sizeof address, bytes.size() - at));
      mark(address);
    }
  }
}

// Every thread for itself; or by turns, where groups are dealt.
void RunThreads(LaunchState* launch, std::span<const std::unique_ptr<Worker>> workers) {
  const auto count = static_cast<std::uint32_t>(workers.size());
  if (launch->options.deal != 0 && count > 1) {
    ChoiceSource dealer(launch->options.deal, {}, false);
    launch->hands.resize(launch->GroupCount());
    std::uint32_t next = 0;
    for (std::uint32_t& hand : launch->hands) hand = (next++ + dealer.Choose(count)) % count;
    const std::uint32_t first = dealer.Choose(count);
    for (std::uint32_t i = 0; i < count; ++i) workers[(first + i) % count]->Run();
    return;
  }
  base::RunOnThreads(static_cast<int>(count),
                     [&workers](int i) { workers[static_cast<std::size_t>(i)]->Run(); });
}

}  // namespace

LaunchResult Session::State::Execute(LaunchState* launch) {
  const Program& program = *launch->program;
  for (LaunchState::LocalObject& object : launch->local_objects) {
    object.offset = (launch->local_bytes + 127) & ~std::uint64_t{127};
    launch->local_bytes = object.offset + object.bytes;
  }
  for (const MathCall& call : program.math_calls) {
    launch->evaluators.push_back(std::make_unique<numerics::RoundedEvaluator>(
        call.operation, call.control.rounding, call.control.flush_to_zero));
  }
  // What an undefined value reads as; seed 0 has a pattern that is easy to recognise.
  launch->undefined_byte =
      static_cast<std::byte>(0xa5 ^ (launch->options.seed * 0x9e3779b97f4a7c15 >> 56));
  if (launch->options.timeout_seconds > 0) {
    launch->deadline =
        std::chrono::steady_clock::now() +
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(
            std::chrono::duration<double>(std::min(launch->options.timeout_seconds, 1e9)));
  }
  std::uint64_t threads = launch->options.threads > 0
                              ? static_cast<std::uint64_t>(launch->options.threads)
                              : std::max(1u, std::thread::hardware_concurrency());
  // Accesses beside restrict pointers are recorded in one place.
  if (program.needs_order || !launch->pointers.accessed.empty()) threads = 1;
  if (program.debug != nullptr) threads = 1;
  threads = std::max<std::uint64_t>(1, std::min(threads, launch->GroupCount()));
  // What a thread needs: local memory, and all of a group's work-items where they wait for others.
  const std::uint64_t items = launch->local[0] * launch->local[1] * launch->local[2];
  const auto width = static_cast<std::uint64_t>(program.width);
  const std::uint64_t batches = program.has_sync ? (items + width - 1) / width : 1;
  const std::uint64_t room = memory->max_bytes() - memory->used_bytes();
  const std::uint64_t batch_bytes = BatchBytes(program);
  if (launch->local_bytes > room || batch_bytes > (room - launch->local_bytes) / batches) {
    LaunchResult result;
    result.end = LaunchEnd::kMemoryLimit;
    result.message = fmt::format(
        "a work-group of {} work-items needs {} bytes of local memory and {} times {} bytes of "
        "registers and private variables; the limit is {} bytes (--max-memory)",
        items, launch->local_bytes, batches, batch_bytes, memory->max_bytes());
    result.local_size = launch->local;
    return result;
  }
  const std::uint64_t each =
      std::max<std::uint64_t>(batches * batch_bytes + launch->local_bytes, 1);
  threads = std::max<std::uint64_t>(1, std::min(threads, room / each));
  launch->is_parallel = threads > 1;
  FindWrittenPlaces(launch);
  std::vector<std::unique_ptr<Worker>> workers;
  LaunchResult result;
  if (TakesTurns(launch->options)) {
    ChoiceSource choices(launch->options.seed, launch->options.choices,
                         launch->options.record_choices);
    // As many groups at once as make up some hundred work-items.
    const std::uint64_t resident =
        std::clamp<std::uint64_t>(512 / std::max<std::uint64_t>(items, 1), 1, 16);
    threads = std::min({resident, launch->GroupCount(), room / each});
    launch->choices = &choices;
    launch->definedness = launch->watches->WatchDefinedness();
    launch->races = launch->watches->WatchRaces(*launch, true);
    for (std::uint64_t i = 0; i < std::max<std::uint64_t>(threads, 1); ++i) {
      workers.push_back(std::make_unique<Worker>(launch));
    }
    if (program.debug != nullptr) launch->options.debug->Begin(launch, workers);
    Scheduler(launch, workers, &choices).Run();
    result.choices = choices.made();
    threads = 1;
    launch->choices = nullptr;
  } else {
    for (std::uint32_t i = 0; i < threads; ++i) {
      workers.push_back(std::make_unique<Worker>(launch, i));
    }
    if (program.debug != nullptr) launch->options.debug->Begin(launch, workers);
    RunThreads(launch, workers);
  }
  if (program.debug != nullptr) launch->options.debug->End();
  // Each worker has the whole of what was left at its last look.
  if (launch->end == LaunchEnd::kCompleted && launch->IsOverLimit()) launch->StopAtLimit();
  result.end = launch->end;
  result.message = launch->message;
  result.findings = MergeFindings(workers);
  // Between two looks at the limit there may be more.
  if (result.findings.size() > launch->options.max_findings) {
    result.findings.erase(
        result.findings.begin() + static_cast<std::ptrdiff_t>(launch->options.max_findings),
        result.findings.end());
  }
  result.has_conflicts = launch->races == nullptr && HaveConflicts(workers);
  result.output = std::move(launch->output);
  result.instructions = launch->instructions;
  result.local_size = launch->local;
  for (const auto& worker : workers) result.cpu_seconds += worker->cpu_seconds();
  result.threads = static_cast<int>(threads);
  result.math_records = MergeMathRecords(workers);
  if (result.math_records.size() > launch->options.max_math_records) {
    result.end = LaunchEnd::kMemoryLimit;
    result.message = fmt::format(
        "more than {} results of built-ins were to be recorded; use a smaller index space",
        launch->options.max_math_records);
    result.math_records.clear();
  }
  if (launch->options.count_instructions) {
    for (std::size_t block = 0; block < program.blocks.size(); ++block) {
      std::uint64_t count = 0;
      for (const auto& worker : workers) count += worker->block_counts()[block];
      if (count == 0) continue;
      for (const std::uint32_t origin : program.block_origins[block]) {
        result.instruction_counts[CountedName(*module, module->instructions[origin])] += count;
      }
    }
  }
  return result;
}

Expected<LaunchResult> Session::State::LaunchOnce(const LaunchRequest& request, int width) {
  const frontend::EntryPoint* entry = module->FindKernel(request.kernel);
  auto info = DescribeKernel(request.kernel);
  if (!info) return tl::unexpected(info.error());
  LaunchState launch;
  launch.watches = &AllWatches();
  launch.module = module.get();
  if (auto good = SetIndexSpace(request, *info, &launch); !good) {
    return tl::unexpected(good.error());
  }
  auto program = Lower(*entry, width);
  if (!program) return tl::unexpected(program.error());
  launch.program = *program;
  launch.memory = memory.get();
  for (const auto& [id, address] : addresses) {
    const frontend::Instruction* definition = module->Definition(id);
    if (definition == nullptr) continue;
    launch.declarations[address] =
        static_cast<std::uint32_t>(definition - module->instructions.data());
  }
  launch.options = request.options;
  launch.budget = options.budget;
  const base::Doing doing(options.budget, fmt::format("executing kernel {}", request.kernel));
  launch.local_objects = local_objects;
  std::vector<Address> temporary;
  const auto bound = BindArguments(request, *info, &launch, &temporary);
  LaunchResult result;
  if (bound) {
    FindRestrict(*module->FindFunction(entry->function), &launch);
    result = Execute(&launch);
    std::vector<Finding> misaligned =
        MisalignedArguments(launch, *module->FindFunction(entry->function));
    result.findings.insert(result.findings.begin(), misaligned.begin(), misaligned.end());
  }
  for (const Address address : temporary) (void)memory->Release(address);
  if (!bound) return tl::unexpected(bound.error());
  return result;
}

}  // namespace assay::interp
