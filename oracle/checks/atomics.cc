// @atomics: every atomic function, by type, memory, order and scope.
//
// What holds of any execution (OpenCL C 6.15.12; API 3.3): the modifications of an object are in
// one order, and each function returns the value before its own.  So the values before all
// operations and the last value are, as a multiset, the first value and the values after all
// operations.  An update that is lost, a value that is returned twice, and an operation that is
// computed wrong all break it.
#include "oracle/checks/atomics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <map>

namespace assay::oracle {
namespace {

constexpr char kAtomics[] = "OpenCL C 6.15.12";
using Modify = ElementBits (*)(ElementBits before, ElementBits operand, const ElementType&);

struct AtomicOp {
  const char* name;
  const char* legacy;  // of p and v, after "atomic_" or "atom_"; nullptr: there is none
  const char* text;    // sets old; {o} and {s}: order and scope; nullptr: there is none
  ElementBits (*first)(const ElementType&);
  ElementBits (*operand)(const ElementType&, std::uint64_t hash);
  Modify modify;
  bool is_sum = true;  // the last value depends on every operation, and not on their order
  enum class Types : std::uint8_t { kIntegers, kAll } types = Types::kIntegers;
};

bool NumberLess(ElementBits a, ElementBits b, const ElementType& type) {
  const int above = 64 - type.bits;
  if (!type.is_signed()) return a < b;
  return static_cast<std::int64_t>(a << above) < static_cast<std::int64_t>(b << above);
}
ElementBits NoBits(const ElementType&) { return 0; }
ElementBits Ones(const ElementType& type) { return Truncated(~ElementBits{0}, type); }
ElementBits Top(const ElementType& type) { return type.is_signed() ? Ones(type) >> 1 : Ones(type); }
ElementBits Bottom(const ElementType& type) {
  return type.is_signed() ? ElementBits{1} << (type.bits - 1) : 0;
}
ElementBits One(const ElementType&, std::uint64_t) { return 1; }
ElementBits OneBit(const ElementType& type, std::uint64_t hash) {
  return ElementBits{1} << hash % static_cast<unsigned>(type.bits);
}
ElementBits AllButOneBit(const ElementType& type, std::uint64_t hash) {
  return Ones(type) & ~OneBit(type, hash);
}
// Of few values, so that comparisons succeed.
ElementBits Few(const ElementType& type, std::uint64_t hash) {
  const std::uint64_t small = hash % 4;
  if (!type.is_float()) return small;
  return AnyValue(type, small);
}

const AtomicOp kOps[] = {
    {"add", "add({p}, v)", "old = atomic_fetch_add_explicit({p}, v, {o}, {s});", NoBits, AnyValue,
     [](ElementBits a, ElementBits v, const ElementType& t) { return Truncated(a + v, t); }},
    {"sub", "sub({p}, v)", "old = atomic_fetch_sub_explicit({p}, v, {o}, {s});", Ones, AnyValue,
     [](ElementBits a, ElementBits v, const ElementType& t) { return Truncated(a - v, t); }},
    {"inc", "inc({p})", nullptr, NoBits, One,
     [](ElementBits a, ElementBits, const ElementType& t) { return Truncated(a + 1, t); }},
    {"dec", "dec({p})", nullptr, NoBits, One,
     [](ElementBits a, ElementBits, const ElementType& t) { return Truncated(a - 1, t); }},
    {"exchange", "xchg({p}, v)", "old = atomic_exchange_explicit({p}, v, {o}, {s});", NoBits,
     AnyValue, [](ElementBits, ElementBits v, const ElementType&) { return v; }, false,
     AtomicOp::Types::kAll},
    {"min", "min({p}, v)", "old = atomic_fetch_min_explicit({p}, v, {o}, {s});", Top, AnyValue,
     [](ElementBits a, ElementBits v, const ElementType& t) { return NumberLess(v, a, t) ? v : a; },
     false},
    {"max", "max({p}, v)", "old = atomic_fetch_max_explicit({p}, v, {o}, {s});", Bottom, AnyValue,
     [](ElementBits a, ElementBits v, const ElementType& t) { return NumberLess(a, v, t) ? v : a; },
     false},
    {"and", "and({p}, v)", "old = atomic_fetch_and_explicit({p}, v, {o}, {s});", Ones, AllButOneBit,
     [](ElementBits a, ElementBits v, const ElementType&) { return a & v; }, false},
    {"or", "or({p}, v)", "old = atomic_fetch_or_explicit({p}, v, {o}, {s});", NoBits, OneBit,
     [](ElementBits a, ElementBits v, const ElementType&) { return a | v; }, false},
    {"xor", "xor({p}, v)", "old = atomic_fetch_xor_explicit({p}, v, {o}, {s});", NoBits, AnyValue,
     [](ElementBits a, ElementBits v, const ElementType&) { return a ^ v; }},
    // Compares with v, and puts v + 1 there.
    {"compare_exchange", "cmpxchg({p}, v, v + 1)",
     "{ T e = v; old = atomic_compare_exchange_strong_explicit({p}, &e, v + 1, {o}, {f}, {s}) ? v "
     ": e; }",
     NoBits, Few,
     [](ElementBits a, ElementBits v, const ElementType& t) {
       return a == v ? Truncated(v + 1, t) : a;
     },
     false},
    // A loop that adds v: the weak form may fail without a reason.
    {"compare_exchange_weak", nullptr,
     "{ old = 0; while (!atomic_compare_exchange_weak_explicit({p}, &old, old + v, {o}, {f}, {s})) "
     "{} }",
     NoBits, AnyValue,
     [](ElementBits a, ElementBits v, const ElementType& t) { return Truncated(a + v, t); }},
};

// A row: an operation on a type in a memory, by the older or the newer functions.
struct AtomicRow {
  AtomicOp op;
  ElementType type;
  bool local = false;
  bool legacy = false;
  std::vector<Variant> variants;  // one, of no meaning, for the older functions
};

std::string AtomicProgram(const AtomicRow& row) {
  const std::string type = row.type.name;
  const std::string space = row.local ? "local" : "global";
  const std::string object = row.legacy ? type : "atomic_" + type;
  std::string cases;
  for (std::size_t k = 0; k < row.variants.size(); ++k) {
    const Variant& variant = row.variants[k];
    const std::string call =
        row.legacy
            ? fmt::format("old = {}{};", row.type.bits == 64 ? "atom_" : "atomic_", row.op.legacy)
            : row.op.text;
    const std::pair<std::string, std::string> values[] = {{"{p}", "p"},
                                                          {"{o}", variant.order},
                                                          {"{f}", variant.failure},
                                                          {"{s}", variant.scope},
                                                          {"T ", type + " "}};
    cases += fmt::format("    case {}: {} break;\n", k, Filled(call, values));
  }
  std::string pragmas = ExtensionPragmas(type);
  if (row.type.bits == 64) {
    pragmas +=
        "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
        "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n";
  }
  // In local memory each group has a cell; what it holds is carried by plain accesses between
  // barriers.
  const std::string before =
      row.local ? fmt::format(
                      "  local {0} cell;\n  volatile local {0}* p = &cell;\n  if "
                      "(get_local_id(0) == 0) *(local {1}*)p = cells[get_group_id(0)];\n  "
                      "barrier(CLK_LOCAL_MEM_FENCE);\n",
                      object, type)
                : fmt::format(
                      "  volatile global {0}* p = (volatile global {0}*)cells + (by_group ? "
                      "get_group_id(0) : i % {1});\n",
                      object, kAtomicCells);
  const std::string after =
      row.local ? fmt::format(
                      "  barrier(CLK_LOCAL_MEM_FENCE);\n  if (get_local_id(0) == 0) "
                      "cells[get_group_id(0)] = *(local {}*)p;\n",
                      type)
                : "";
  return fmt::format(
      "{0}kernel void ask(uint which, uint by_group, global {1}* cells, const global {1}* "
      "operands, "
      "global {1}* olds, {7}, uint again) {{\n  size_t i = get_global_id(0);\n{6}{2}  for (uint k "
      "= 0; k < {3}; ++k) "
      "{{\n    size_t at = k * get_global_size(0) + i;\n    {1} v = operands[at], old = 0;\n    "
      "for (uint h = 0; h <= again; ++h) switch (which) {{\n{4}    }}\n    olds[at] = old;\n  "
      "}}\n{5}}}\n",
      pragmas, type, before, kAtomicRounds, cases, after, kMeetAtGate, kGateParameters);
}

// A value that is in one of the multisets more often than in the other.
std::string FirstDifference(const std::vector<ElementBits>& before,
                            const std::vector<ElementBits>& after, const ElementType& type) {
  std::map<ElementBits, std::int64_t> counts;
  for (const ElementBits value : before) ++counts[value];
  for (const ElementBits value : after) --counts[value];
  for (const auto& [value, count] : counts) {
    if (count == 0) continue;
    return fmt::format("{} is returned or left {} times {} than it is put there",
                       ElementText(value, type), std::abs(count), count > 0 ? "more" : "less");
  }
  return "";
}

void JudgeCells(CheckRun& run, const AtomicRow& row, const Variant& variant, bool by_group,
                const std::vector<ElementBits>& operands, const std::vector<ElementBits>& olds,
                const std::vector<ElementBits>& cells) {
  std::map<std::uint64_t, std::pair<std::vector<ElementBits>, std::vector<ElementBits>>> chains;
  for (std::size_t at = 0; at < olds.size(); ++at) {
    const std::uint64_t item = at % kAtomicItems;
    auto& [before, after] = chains[by_group ? item / kAtomicGroupSize : item % kAtomicCells];
    before.push_back(olds[at]);
    after.push_back(row.op.modify(olds[at], operands[at], row.type));
  }
  for (auto& [cell, chain] : chains) {
    auto& [before, after] = chain;
    before.push_back(cells[cell]);
    after.push_back(row.op.first(row.type));
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    run.Answer(before == after, [&] {
      return CheckSighting{
          .input = fmt::format(
              "{} of {} on {} memory{}, {} operations on object {}", row.op.name, row.type.name,
              row.local ? "local" : "global",
              row.legacy ? std::string() : fmt::format(", {}, {}", variant.order, variant.scope),
              after.size() - 1, cell),
          .observed = FirstDifference(before, after, row.type),
          .expected = "each value that is put there is returned once, or left",
          .options = ""};
    });
  }
}

struct AtomicAnswers {
  std::vector<ElementBits> operands, olds, cells;
  bool met = false;  // did groups run at one time?
};

// `again`: each operation is done so often more; what it returns then is not kept.
Expected<AtomicAnswers> LaunchAtomic(CheckRun& run, const AtomicRow& row, std::size_t variant,
                                     bool by_group, std::uint64_t seed, std::uint32_t again) {
  AtomicAnswers found;
  for (std::uint64_t at = 0; at < kAtomicItems * kAtomicRounds; ++at) {
    found.operands.push_back(row.op.operand(row.type, CheckHash(seed, at, variant)));
  }
  const std::vector<ElementBits> first(kAtomicGroups, row.op.first(row.type));
  const std::vector<std::byte> input = Packed64(found.operands, row.type);
  KernelRequest request{
      .source = AtomicProgram(row),
      .options = run.facts().Standard(),
      .kernel = "ask",
      .arguments = {ValueOf(static_cast<std::uint32_t>(variant)), ValueOf(by_group ? 1 : 0),
                    OutputOf(first.size() * row.type.bytes()), InputOf(input.size()),
                    OutputOf(input.size()), OutputOf(kGateBytes),
                    ValueOf(by_group ? 0 : run.GatePatience()), ValueOf(again)},
      .global = {kAtomicItems, 1, 1},
      .local = {kAtomicGroupSize, 1, 1}};
  auto answers = run.Ask(request, {input},
                         {Packed64(first, row.type), {}, std::vector<std::byte>(kGateBytes)});
  if (!answers) return tl::unexpected<Error>(answers.error());
  if (!by_group) found.met = run.NoteGate((*answers)[2]);
  found.olds = Unpacked((*answers)[1], row.type);
  found.cells = Unpacked((*answers)[0], row.type);
  return found;
}

void JudgeSums(CheckRun& run, const AtomicRow& row, std::size_t variant, bool by_group,
               const AtomicAnswers& found, std::uint32_t again) {
  std::map<std::uint64_t, ElementBits> wanted;
  for (std::size_t at = 0; at < found.operands.size(); ++at) {
    const std::uint64_t item = at % kAtomicItems;
    const auto cell = by_group ? item / kAtomicGroupSize : item % kAtomicCells;
    ElementBits& value = wanted.try_emplace(cell, row.op.first(row.type)).first->second;
    for (std::uint32_t k = 0; k <= again; ++k) {
      value = row.op.modify(value, found.operands[at], row.type);
    }
  }
  for (const auto& [cell, value] : wanted) {
    run.Expect(found.cells[cell] == value,
               fmt::format("object {} of {} after {} times {} by {}", cell, row.type.name,
                           found.operands.size() / wanted.size() * (again + 1), row.op.name,
                           row.legacy ? "the older function" : row.variants[variant].order),
               ElementText(found.cells[cell], row.type), ElementText(value, row.type));
  }
}

// Many operations in a row, whose sum must be left: an update is lost only where two processors
// meet, or where one is interrupted at the wrong moment.  Until groups met, at most for some time.
Expected<void> RunSums(CheckRun& run, const AtomicRow& row) {
  using Clock = std::chrono::steady_clock;
  const auto again = static_cast<std::uint32_t>(run.options().Of(250, 2500, 16000));
  const bool by_group = !row.legacy && IsGroupScope(row.variants[0]) && row.variants.size() == 1;
  // The device's scope, where it has it.
  std::size_t variant = 0;
  while (!row.legacy && !by_group && IsGroupScope(row.variants[variant])) ++variant;
  const auto end = Clock::now() + std::chrono::milliseconds(run.options().Of(1000, 4000, 60000));
  for (std::uint64_t launch = 0;; ++launch) {
    const auto found =
        LaunchAtomic(run, row, variant, by_group, run.options().seed ^ (0x50u + launch), again);
    if (!found) return tl::unexpected<Error>(found.error());
    JudgeSums(run, row, variant, by_group, *found, again);
    const bool more = !by_group && !found->met && run.MayMeet() && Clock::now() < end;
    if (!more || run.tally().failures > 0) return {};
  }
}

Expected<void> RunAtomic(CheckRun& run, const AtomicRow& row) {
  const std::uint64_t launches = run.options().Of(1, 16, 128);
  for (std::size_t k = 0; k < row.variants.size(); ++k) {
    const bool by_group = row.local || (!row.legacy && IsGroupScope(row.variants[k]));
    for (std::uint64_t launch = 0; launch < launches; ++launch) {
      const auto found = LaunchAtomic(run, row, k, by_group, run.options().seed + launch, 0);
      if (!found) return tl::unexpected<Error>(found.error());
      JudgeCells(run, row, row.variants[k], by_group, found->operands, found->olds, found->cells);
    }
  }
  return row.op.is_sum && !row.local ? RunSums(run, row) : Expected<void>();
}

// ---- Rows ----

std::string NewLack(const DeviceFacts& facts) {
  return facts.c_standard >= 200 ? ""
                                 : "CL_DEVICE_OPENCL_C_VERSION: atomic types need OpenCL C 2.0";
}

std::string WideLack(const DeviceFacts& facts, const ElementType& type) {
  if (type.is_float() && type.bits == 64 && !facts.HasDouble())
    return "CL_DEVICE_DOUBLE_FP_CONFIG: no double";
  if (type.bits < 64) return "";
  for (const char* extension : {"cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"}) {
    if (!facts.HasExtension(extension)) {
      return fmt::format("CL_DEVICE_EXTENSIONS: no {}", extension);
    }
  }
  return "";
}

void AddRows(const DeviceFacts& facts, const AtomicOp& op, const ElementType& type,
             std::vector<Check>* checks) {
  for (const bool legacy : {true, false}) {
    if ((legacy ? op.legacy : op.text) == nullptr) continue;
    // Of float, the older functions have exchange only, and no double.
    if (legacy && type.is_float() && (type.bits == 64)) continue;
    for (const bool local : {false, true}) {
      std::string lacks = WideLack(facts, type);
      if (!legacy && lacks.empty()) lacks = NewLack(facts);
      AtomicRow row{.op = op, .type = type, .local = local, .legacy = legacy, .variants = {}};
      if (legacy) {
        row.variants = {{"", "", "", "", ""}};
      } else {
        row.variants = VariantsOf(facts);
      }
      checks->push_back({.list = CheckList::kAtomics,
                         .name = fmt::format("atomics_{}{}_{}_{}", legacy ? "older_" : "", op.name,
                                             type.name, local ? "local" : "global"),
                         .clause = kAtomics,
                         .lacks = std::move(lacks),
                         .run = [row](CheckRun& run) { return RunAtomic(run, row); }});
    }
  }
}

}  // namespace

void AddAtomicChecks(const DeviceFacts& facts, std::vector<Check>* checks) {
  for (const AtomicOp& op : kOps) {
    for (const ElementType& type : {kInt, kUint, kLong, kUlong}) AddRows(facts, op, type, checks);
    if (op.types == AtomicOp::Types::kAll) {
      AddRows(facts, op, kFloat, checks);
      AddRows(facts, op, kDouble, checks);
    }
  }
  for (const ElementType& type : {kInt, kUint, kFloat, kLong, kUlong, kDouble}) {
    const std::string wide = WideLack(facts, type);
    checks->push_back({.list = CheckList::kAtomics,
                       .name = fmt::format("atomics_load_store_{}", type.name),
                       .clause = kAtomics,
                       .lacks = wide.empty() ? NewLack(facts) : wide,
                       .run = [type](CheckRun& run) { return RunLoadStore(run, type); }});
  }
  for (const bool local : {false, true}) {
    checks->push_back({.list = CheckList::kAtomics,
                       .name = fmt::format("atomics_flag_{}", local ? "local" : "global"),
                       .clause = kAtomics,
                       .lacks = NewLack(facts),
                       .run = [local](CheckRun& run) { return RunFlag(run, local); }});
  }
  AddLockChecks(facts, checks);
}

}  // namespace assay::oracle
