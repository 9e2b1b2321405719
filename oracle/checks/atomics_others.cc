// @atomics: loads, stores and flags; the variants of order and scope.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "oracle/checks/atomics.h"

namespace assay::oracle {
namespace {

constexpr std::pair<const char*, const char*> kOrders[] = {{"memory_order_relaxed", ""},
                                                           {"memory_order_acquire", kAcqRel},
                                                           {"memory_order_release", kAcqRel},
                                                           {"memory_order_acq_rel", kAcqRel},
                                                           {"memory_order_seq_cst", kSeqCst}};

}  // namespace

bool HasAtomicFeature(const DeviceFacts& facts, const char* feature) {
  if (*feature == '\0') return true;
  // OpenCL 2.0 has all of them.
  return facts.c_standard < 300 || facts.HasFeature(feature);
}

std::vector<Variant> VariantsOf(const DeviceFacts& facts) {
  std::vector<Variant> variants;
  for (const auto& [scope, scope_feature] : kScopes) {
    for (const auto& [order, order_feature] : kOrders) {
      if (!HasAtomicFeature(facts, order_feature) || !HasAtomicFeature(facts, scope_feature))
        continue;
      const std::string_view name = order;
      const char* failure = name == "memory_order_seq_cst"   ? "memory_order_seq_cst"
                            : name == "memory_order_acquire" ? "memory_order_acquire"
                            : name == "memory_order_acq_rel" ? "memory_order_acquire"
                                                             : "memory_order_relaxed";
      variants.push_back({order, failure, scope, order_feature, scope_feature});
    }
  }
  return variants;
}

bool IsGroupScope(const Variant& variant) {
  return std::string_view(variant.scope) == "memory_scope_work_group";
}

std::vector<ElementBits> Unpacked(const std::vector<std::byte>& bytes, const ElementType& type) {
  std::vector<ElementBits> values(bytes.size() / type.bytes());
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::memcpy(&values[k], bytes.data() + k * type.bytes(), type.bytes());
  }
  return values;
}
std::vector<std::byte> Packed64(const std::vector<ElementBits>& values, const ElementType& type) {
  std::vector<std::byte> bytes(values.size() * type.bytes());
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::memcpy(bytes.data() + k * type.bytes(), &values[k], type.bytes());
  }
  return bytes;
}

ElementBits AnyValue(const ElementType& type, std::uint64_t hash) {
  if (type.is_float()) {
    const auto small = static_cast<double>(hash % 4096);
    return type.bits == 32 ? std::bit_cast<std::uint32_t>(static_cast<float>(small))
                           : std::bit_cast<std::uint64_t>(small);
  }
  return Truncated(hash, type);
}
// Half of the work-items store, the others load: no value is torn or comes from nowhere.
Expected<void> RunLoadStore(CheckRun& run, const ElementType& type) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [scope, scope_feature] : kScopes) {
    if (!HasAtomicFeature(run.facts(), scope_feature)) continue;
    for (const auto& [store, load, feature] :
         {std::tuple{"memory_order_relaxed", "memory_order_relaxed", ""},
          {"memory_order_release", "memory_order_acquire", kAcqRel},
          {"memory_order_seq_cst", "memory_order_seq_cst", kSeqCst}}) {
      if (!HasAtomicFeature(run.facts(), feature)) continue;
      pairs.emplace_back(fmt::format("{}, {}", store, scope), fmt::format("{}, {}", load, scope));
    }
  }
  std::string cases;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    cases += fmt::format(
        "    case {}: if (i & 1) atomic_store_explicit(p, v, {}); else old = "
        "atomic_load_explicit(p, {}); break;\n",
        k, pairs[k].first, pairs[k].second);
  }
  const auto value = [&](std::uint64_t number) {
    if (type.is_float()) return AnyValue(type, number);
    // Both halves are the same number.
    return type.bits == 64 ? number * 0x100000001u : number * 0x10001u;
  };
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const bool by_group = pairs[k].first.find("work_group") != std::string::npos;
    std::vector<ElementBits> operands;
    for (std::uint64_t at = 0; at < kAtomicItems * kAtomicRounds; ++at)
      operands.push_back(value(1 + at % 4000));
    const auto input = Packed64(operands, type);
    KernelRequest request{
        .source = fmt::format(
            "{0}{5}kernel void ask(uint which, uint by_group, global {1}* cells, const global {1}* "
            "operands, global {1}* olds, {7}) {{\n  size_t i = "
            "get_global_id(0);\n{6}  volatile global "
            "atomic_{1}* p = (volatile global atomic_{1}*)cells + (by_group ? get_group_id(0) : i "
            "/ "
            "2 % {2});\n  for (uint k = 0; k < {3}; ++k) {{\n    size_t at = k * "
            "get_global_size(0) "
            "+ i;\n    {1} v = operands[at], old = 0;\n    switch (which) {{\n{4}    }}\n    "
            "olds[at] = old;\n  }}\n}}\n",
            ExtensionPragmas(type.name), type.name, kAtomicCells, kAtomicRounds, cases,
            type.bits == 64
                ? "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n#pragma "
                  "OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n"
                : "",
            kMeetAtGate, kGateParameters),
        .options = run.facts().Standard(),
        .kernel = "ask",
        .arguments = {ValueOf(static_cast<std::uint32_t>(k)), ValueOf(by_group ? 1 : 0),
                      OutputOf(kAtomicGroups * type.bytes()), InputOf(input.size()),
                      OutputOf(input.size()), OutputOf(kGateBytes),
                      ValueOf(by_group ? 0 : run.GatePatience())},
        .global = {kAtomicItems, 1, 1},
        .local = {kAtomicGroupSize, 1, 1}};
    const std::vector<ElementBits> first(kAtomicGroups, value(0));
    auto answers =
        run.Ask(request, {input}, {Packed64(first, type), {}, std::vector<std::byte>(kGateBytes)});
    if (!answers) return tl::unexpected<Error>(answers.error());
    if (!by_group) run.NoteGate((*answers)[2]);
    auto seen = Unpacked((*answers)[1], type);
    const auto cells = Unpacked((*answers)[0], type);
    seen.insert(seen.end(), cells.begin(),
                cells.begin() + (by_group ? kAtomicGroups : kAtomicCells));
    operands.push_back(value(0));
    std::sort(operands.begin(), operands.end());
    for (const ElementBits bits : seen) {
      run.Answer(std::binary_search(operands.begin(), operands.end(), bits), [&] {
        return CheckSighting{
            .input = fmt::format("a load of {} with {}", type.name, pairs[k].second),
            .observed = ElementText(bits, type),
            .expected = "a value that was stored",
            .options = ""};
      });
    }
  }
  return {};
}

// Of all work-items that set a flag, one finds it clear; and again once it is cleared.
Expected<void> RunFlag(CheckRun& run, bool local) {
  const auto variants = VariantsOf(run.facts());
  std::string cases;
  for (std::size_t k = 0; k < variants.size(); ++k) {
    cases +=
        fmt::format("    case {}: old = atomic_flag_test_and_set_explicit(p, {}, {}); break;\n", k,
                    variants[k].order, variants[k].scope);
  }
  for (std::size_t k = 0; k < variants.size(); ++k) {
    const bool by_group = local || IsGroupScope(variants[k]);
    KernelRequest request{
        .source = fmt::format(
            "kernel void ask(uint which, uint by_group, volatile global atomic_flag* flags, global "
            "uint* olds) {{\n  size_t i = get_global_id(0);\n{0}  for (uint k = 0; k < 2; ++k) "
            "{{\n  "
            "  bool old = true;\n    switch (which) {{\n{1}    }}\n    olds[k * get_global_size(0) "
            "+ "
            "i] = old;\n    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);\n    if (by_group "
            "&& get_local_id(0) == 0) atomic_flag_clear_explicit(p, memory_order_relaxed, "
            "memory_scope_work_group);\n    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);\n "
            " "
            "}}\n}}\n",
            local ? "  local atomic_flag flag;\n  volatile local atomic_flag* p = &flag;\n  if "
                    "(get_local_id(0) == 0) atomic_flag_clear_explicit(p, memory_order_relaxed, "
                    "memory_scope_work_group);\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
                  : fmt::format("  volatile global atomic_flag* p = flags + (by_group ? "
                                "get_group_id(0) : i % {});\n",
                                kAtomicCells),
            cases),
        .options = run.facts().Standard(),
        .kernel = "ask",
        .arguments = {ValueOf(static_cast<std::uint32_t>(k)), ValueOf(by_group ? 1 : 0),
                      OutputOf(kAtomicGroups * 4), OutputOf(kAtomicItems * 2 * 4)},
        .global = {kAtomicItems, 1, 1},
        .local = {kAtomicGroupSize, 1, 1}};
    auto answers = run.Ask(request, {}, {std::vector<std::byte>(kAtomicGroups * 4)});
    if (!answers) return tl::unexpected<Error>(answers.error());
    const auto olds = NumbersOf<std::uint32_t>((*answers)[1]);
    std::map<std::uint64_t, std::uint64_t> clear;
    for (std::uint64_t at = 0; at < olds.size(); ++at) {
      const std::uint64_t item = at % kAtomicItems, round = at / kAtomicItems;
      // A flag of several groups is not cleared.
      const std::uint64_t flag =
          by_group ? item / kAtomicGroupSize + round * kAtomicGroups : item % kAtomicCells;
      clear[flag] += olds[at] == 0 ? 1 : 0;
    }
    for (const auto& [flag, times] : clear) {
      run.Expect(times == 1,
                 fmt::format("atomic_flag_test_and_set_explicit(p, {}, {}), flag {}",
                             variants[k].order, variants[k].scope, flag),
                 fmt::format("{} times false", times), "once");
    }
  }
  return {};
}

}  // namespace assay::oracle
