// Program-scope variables.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interp/import/import.h"
#include "interp/launch/session_state.h"
#include "interp/program/pipe_object.h"

namespace assay::interp {

using frontend::ConstantKind;
using frontend::StorageClass;
using frontend::TypeKind;

namespace {

// Handles may not be declared in program scope; clk_event_t and reserve_id_t may be in local memory
// (OpenCL C 6.11).
bool CanBeVariable(frontend::Op handle, StorageClass storage) {
  if (handle == frontend::Op::kTypePipeStorage) return true;
  return storage == StorageClass::kWorkgroup &&
         (handle == frontend::Op::kTypeReserveId || handle == frontend::Op::kTypeDeviceEvent);
}

}  // namespace

// Pipes of the module itself (SPIR-V OpConstantPipeStorage: size, alignment and capacity).
Expected<void> Session::State::PlacePipes() {
  for (const frontend::Constant& constant : module->constants.All()) {
    if (constant.kind != ConstantKind::kPipe || constant.id == 0) continue;
    const auto words = module->constants.Words(constant);
    if (words.size() < 3) return Fail(ErrorKind::kUsage, module->name + ": a pipe without a shape");
    const auto address = CreatePipe(memory.get(), {words[0], words[1], words[2]}, {},
                                    std::string(module->NameOf(constant.id)));
    if (!address) {
      return Fail(address.error().kind,
                  fmt::format("{}: {}: {}", module->name, module->Describe(constant.id),
                              address.error().message));
    }
    addresses[constant.id] = *address;
  }
  return {};
}

Expected<void> Session::State::PlaceGlobals() {
  if (auto good = PlacePipes(); !good) return good;
  for (const frontend::GlobalVariable& global : module->globals) {
    const frontend::Type* type = module->types.Find(global.pointee);
    const std::string name(module->NameOf(global.id));
    if (type == nullptr || global.storage_class == StorageClass::kInput) continue;
    // A sampler or a queue: the kernels that use it are refused.
    if (type->kind == TypeKind::kOpaque && !CanBeVariable(type->opcode, global.storage_class)) {
      continue;
    }
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
  if (std::ranges::find(module->capabilities, frontend::Capability::kShaderClockKHR) !=
      module->capabilities.end()) {
    const auto clock = memory->Allocate(8, AddressSpace::kGlobal, "the clock", true, 8);
    if (!clock) return tl::unexpected(clock.error());
    addresses[kClockId] = *clock;
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
    case ConstantKind::kPipe: {
      const std::uint64_t pipe = addresses.at(constant.id);
      std::memcpy(bytes.data(), &pipe, std::min<std::size_t>(bytes.size(), 8));
      return {};
    }
    case ConstantKind::kAddress:
    case ConstantKind::kExpression:
    case ConstantKind::kSampler:
      break;
  }
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

}  // namespace assay::interp
