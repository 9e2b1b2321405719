// What the parts of @atomics share.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "oracle/checks/element.h"

namespace assay::oracle {

// Of a launch: groups, their size, operations of a work-item, objects that all groups share.
inline constexpr std::uint64_t kAtomicGroupSize = 64, kAtomicGroups = 32, kAtomicRounds = 8,
                               kAtomicCells = 4;
inline constexpr std::uint64_t kAtomicItems = kAtomicGroupSize * kAtomicGroups;

struct Variant {
  const char* order;
  const char* failure;  // of a comparison that fails
  const char* scope;
  const char* order_feature;  // "": every device has it
  const char* scope_feature;
};
inline constexpr char kAcqRel[] = "__opencl_c_atomic_order_acq_rel";
inline constexpr char kSeqCst[] = "__opencl_c_atomic_order_seq_cst";
inline constexpr std::pair<const char*, const char*> kScopes[] = {
    {"memory_scope_work_group", ""},
    {"memory_scope_device", "__opencl_c_atomic_scope_device"},
    {"memory_scope_all_svm_devices", "__opencl_c_atomic_scope_all_devices"}};

// Those that the device has.
std::vector<Variant> VariantsOf(const DeviceFacts& facts);
bool HasAtomicFeature(const DeviceFacts& facts, const char* feature);
// Objects of such a scope belong to one group.
bool IsGroupScope(const Variant& variant);

// A number for an operand.
ElementBits AnyValue(const ElementType& type, std::uint64_t hash);
std::vector<ElementBits> Unpacked(const std::vector<std::byte>& bytes, const ElementType& type);
std::vector<std::byte> Packed64(const std::vector<ElementBits>& values, const ElementType& type);

Expected<void> RunLoadStore(CheckRun& run, const ElementType& type);
Expected<void> RunFlag(CheckRun& run, bool local);
// Fences, and locks that are flags.
void AddLockChecks(const DeviceFacts& facts, std::vector<Check>* checks);

}  // namespace assay::oracle
