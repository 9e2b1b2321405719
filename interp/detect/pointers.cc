// Conditions on pointers: where an address points to, beside the object that it should point into.
//
// Known deviations: an address that is out of bounds on the way to one that is accessed and is not
// (`(a + n)[-n]`) is reported only if a constant number of bytes before an object; nor is
// arithmetic on what points to no object, null included, or on constant addresses.  A difference of
// integers that were pointers is taken for one of pointers where it is divided by a constant, as
// compilers divide by an element's size.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "interp/detect/detectors.h"
#include "interp/execute/execute.h"
#include "interp/program/argument_alignment.h"
#include "interp/program/handlers.h"
#include "interp/rules/rule.h"

namespace assay::interp {
namespace {

using frontend::StorageClass;

// What lives where an address points to; null: nothing, or no more.
const Region* ObjectAt(const Batch& batch, Address address) {
  const Region* region = batch.FindRegion(address);
  return region == nullptr || region->address == 0 || region->ended ? nullptr : region;
}

// Also one past its end.
bool IsInside(const Region& region, Address address) {
  return address - region.address <= region.bytes;
}

std::string Describe(const Batch& batch, Address address) {
  if (address == 0) return "null";
  const Region* region = ObjectAt(batch, address);
  if (region == nullptr) return fmt::format("address {:#x}, where no object lives", address);
  return fmt::format(
      "offset {} of {} memory '{}'", static_cast<std::int64_t>(address - region->address),
      AddressSpaceName(region->space), batch.worker->launch().memory->NameOf(region->object));
}

std::string Size(const Batch& batch, Address address) {
  const Region* region = ObjectAt(batch, address);
  return region == nullptr ? "" : fmt::format(", which has {} bytes", region->bytes);
}

template <typename IsBad>
std::uint64_t LanesWhere(const Batch& batch, const IsBad& is_bad) {
  std::uint64_t lanes = 0;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    if (is_bad(std::countr_zero(rest))) lanes |= rest & -rest;
  }
  return lanes;
}

// --- differences ------------------------------------------------------------------------------

// Operands: the pointers, and the size of an element.
void CheckDifference(Batch& batch, const FlatInstruction& in) {
  const auto* left = batch.Register<std::uint64_t>(in.a);
  const auto* right = batch.Register<std::uint64_t>(in.b);
  const auto size = static_cast<std::int64_t>(*batch.Register<std::uint64_t>(in.c));
  const auto is_one = [&](int lane) {
    const Region* region = ObjectAt(batch, left[lane]);
    const Region* other = ObjectAt(batch, right[lane]);
    return region != nullptr && other != nullptr && region->address == other->address;
  };
  const std::uint64_t lanes = LanesWhere(batch, [&](int lane) {
    if (left[lane] == right[lane]) return false;
    return !is_one(lane) || static_cast<std::int64_t>(left[lane] - right[lane]) % size != 0;
  });
  if (lanes == 0) return;
  CheckFailed(batch, in, lanes, [&](int lane) {
    return fmt::format("the difference of pointers to {} and {}: {}", Describe(batch, left[lane]),
                       Describe(batch, right[lane]),
                       is_one(lane) ? fmt::format("no multiple of an element's {} bytes", size)
                                    : "different objects");
  });
}

// --- address spaces ---------------------------------------------------------------------------

// OpenCL C 6.3.1 ("Rules for operators on generic pointers"): null is in every space.
void CheckSpaces(Batch& batch, const FlatInstruction& in) {
  const auto* left = batch.Register<std::uint64_t>(in.a);
  const auto* right = batch.Register<std::uint64_t>(in.b);
  const std::uint64_t lanes = LanesWhere(batch, [&](int lane) {
    const Region* region = ObjectAt(batch, left[lane]);
    const Region* other = ObjectAt(batch, right[lane]);
    return region != nullptr && other != nullptr && region->space != other->space;
  });
  if (lanes == 0) return;
  CheckFailed(batch, in, lanes, [&](int lane) {
    return fmt::format("a comparison of generic pointers into different address spaces: {}, and {}",
                       Describe(batch, left[lane]), Describe(batch, right[lane]));
  });
}

bool Holds(StorageClass storage_class, AddressSpace space) {
  switch (storage_class) {
    case StorageClass::kWorkgroup:
      return space == AddressSpace::kLocal;
    case StorageClass::kCrossWorkgroup:
      return space == AddressSpace::kGlobal;
    case StorageClass::kUniformConstant:  // buffers too, as a kernel's arguments
      return space == AddressSpace::kConstant || space == AddressSpace::kGlobal;
    case StorageClass::kFunction:
      return space == AddressSpace::kPrivate;
    default:
      return true;
  }
}

std::string_view SpaceName(StorageClass storage_class) {
  switch (storage_class) {
    case StorageClass::kWorkgroup:
      return "local";
    case StorageClass::kCrossWorkgroup:
      return "global";
    case StorageClass::kUniformConstant:
      return "constant";
    case StorageClass::kFunction:
      return "private";
    default:
      return "generic";
  }
}

// Operands: the address, and the storage class that it should point into.
template <bool kCast>
void CheckStorageClass(Batch& batch, const FlatInstruction& in) {
  const auto* address = batch.Register<std::uint64_t>(in.a);
  const auto storage_class = static_cast<StorageClass>(*batch.Register<std::uint64_t>(in.b));
  const bool only_accessed = batch.program->checks[in.immediate].only_accessed;
  const std::uint64_t lanes = LanesWhere(batch, [&](int lane) {
    if (address[lane] == 0) return false;
    const Region* region = ObjectAt(batch, address[lane]);
    // Accesses say themselves that nothing is there.
    if (region == nullptr) return !kCast && !only_accessed;
    // Constant memory is a part of global memory, and a store says that it is read-only.
    if (only_accessed && region->space == AddressSpace::kConstant &&
        storage_class == StorageClass::kCrossWorkgroup) {
      return false;
    }
    return !Holds(storage_class, region->space) ||
           (!kCast && !only_accessed && !IsInside(*region, address[lane]));
  });
  if (lanes == 0) return;
  CheckFailed(batch, in, lanes, [&](int lane) {
    return fmt::format("a pointer to {} memory is made of {}: {}", SpaceName(storage_class),
                       kCast ? "a generic pointer" : "an integer", Describe(batch, address[lane]));
  });
}

// --- promises ---------------------------------------------------------------------------------

void WriteThroughConst(Batch& batch, const FlatInstruction& in) {
  CheckFailed(batch, in, batch.active, [](int) {
    return "a store through a pointer of which the module says that nothing is written through it";
  });
}
void PureFunctionWrites(Batch& batch, const FlatInstruction& in) {
  CheckFailed(batch, in, batch.active, [](int) {
    return "a function that the module calls Pure or Const writes memory that is not its own";
  });
}
void ConstFunctionReads(Batch& batch, const FlatInstruction& in) {
  CheckFailed(batch, in, batch.active, [](int) {
    return "a function that the module calls Const reads memory that others may write";
  });
}

}  // namespace

// --- arithmetic -------------------------------------------------------------------------------

// Operand: the base; the result is the address that was made of it.
void AddressOutOfBounds(Batch& batch, const FlatInstruction& in) {
  const auto* base = batch.Register<std::uint64_t>(in.a);
  const auto* result = batch.Register<std::uint64_t>(in.result);
  const bool one_past = batch.program->checks[in.immediate].check == Check::kInBoundsElement;
  const std::uint64_t lanes = LanesWhere(batch, [&](int lane) {
    const Region* region = ObjectAt(batch, base[lane]);  // an access says what is not there
    return region != nullptr &&
           result[lane] - region->address >= region->bytes + (one_past ? 1 : 0);
  });
  if (lanes == 0) return;
  CheckFailed(batch, in, lanes, [&](int lane) {
    const Region& region = *ObjectAt(batch, base[lane]);
    return fmt::format("pointer arithmetic from {} to offset {}{}", Describe(batch, base[lane]),
                       static_cast<std::int64_t>(result[lane] - region.address),
                       Size(batch, base[lane]));
  });
}

// Operands: the base, the index, the stride.
void AddressOverflows(Batch& batch, const FlatInstruction& in) {
  const auto* base = batch.Register<std::uint64_t>(in.a);
  const auto* index = batch.Register<std::uint64_t>(in.b);
  const std::uint64_t stride = *batch.Register<std::uint64_t>(in.c);
  const int bits = batch.place_bits == kLayout32.place_bits ? 32 : 64;
  const std::uint64_t lanes = LanesWhere(batch, [&](int lane) {
    if (ObjectAt(batch, base[lane]) == nullptr) return false;
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(static_cast<std::int64_t>(index[lane]),
                               static_cast<std::int64_t>(stride), &bytes)) {
      return true;
    }
    const std::uint64_t sum = base[lane] + static_cast<std::uint64_t>(bytes);
    return bytes < 0 ? sum > base[lane] : sum < base[lane] || (bits == 32 && sum >> 32 != 0);
  });
  if (lanes == 0) return;
  CheckFailed(batch, in, lanes, [&](int lane) {
    return fmt::format("{} elements of {} bytes from {} on is beyond what {} bits can address",
                       static_cast<std::int64_t>(index[lane]), stride, Describe(batch, base[lane]),
                       bits);
  });
}

// --- arguments -------------------------------------------------------------------------------

// Arguments that are not aligned to the type that their parameter points to (OpenCL C 6.2.5).
std::vector<Finding> MisalignedArguments(const LaunchState& launch,
                                         const frontend::Function& function) {
  std::vector<Finding> findings;
  if (!launch.program->detectors.Has(Detector::kAlignment)) return findings;
  const frontend::Module& module = *launch.module;
  const auto parameters = function.parameters.Of(module.parameters);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const frontend::Type* type = module.types.Find(parameters[i].type);
    if (type == nullptr || type->kind != frontend::TypeKind::kPointer) continue;
    const std::uint64_t alignment = ArgumentAlignment(module, parameters[i]);
    Address address = 0;
    std::memcpy(&address, launch.parameters[i].data(),
                std::min(sizeof address, launch.parameters[i].size()));
    if (alignment < 2 || address % alignment == 0) continue;
    Finding finding(Rule::kAlignmentArgument);
    finding.message = fmt::format(
        "argument {} is a pointer that is not aligned to {} bytes, as its type is (address {:#x})",
        i, alignment, address);
    if (const frontend::Instruction* definition = module.Definition(parameters[i].id)) {
      finding.place.instruction =
          static_cast<std::uint32_t>(definition - module.instructions.data());
      finding.instruction = module.Text(*definition);
    }
    finding.global_id = launch.range.offset;
    findings.push_back(std::move(finding));
  }
  return findings;
}

Handler FindObjectCheck(Check check) {
  switch (check) {
    case Check::kDifference:
      return &CheckDifference;
    case Check::kDifferentSpaces:
      return &CheckSpaces;
    case Check::kForged:
      return &CheckStorageClass<false>;
    case Check::kCastToWrongSpace:
      return &CheckStorageClass<true>;
    case Check::kWriteThroughConst:
      return &WriteThroughConst;
    case Check::kPureFunctionWrites:
      return &PureFunctionWrites;
    case Check::kConstFunctionReads:
      return &ConstFunctionReads;
    default:
      return nullptr;
  }
}

}  // namespace assay::interp
