#include "oracle/checks/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "oracle/devices/poison.h"

namespace assay::oracle {
namespace {

// '*' stands for any characters, as for rows of images.
bool Matches(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*') {
    for (std::size_t skipped = 0; skipped <= name.size(); ++skipped) {
      if (Matches(name.substr(skipped), pattern.substr(1))) return true;
    }
    return false;
  }
  return !name.empty() && name[0] == pattern[0] && Matches(name.substr(1), pattern.substr(1));
}

}  // namespace

std::string_view CheckListName(CheckList list) {
  constexpr std::string_view kNames[] = {"integer", "groups", "subgroups", "atomics",
                                         "memory",  "layout", "limits",    "transfers"};
  return kNames[static_cast<int>(list)];
}

std::uint64_t CheckOptions::Of(std::uint64_t smoke, std::uint64_t standard,
                               std::uint64_t exhaustive) const {
  switch (level) {
    case Level::kSmoke:
      return smoke;
    case Level::kStandard:
      return standard;
    case Level::kExhaustive:
      return exhaustive;
  }
  return smoke;
}

std::vector<std::vector<std::byte>> CheckRun::Poisoned(const std::vector<std::size_t>& sizes) {
  const Poison poison(Poison::Key{.seed = options_.seed, .first_item = ++asked_});
  std::vector<std::vector<std::byte>> zones;
  for (const std::size_t size : sizes) poison.Fill(zones.emplace_back(size));
  return zones;
}

Expected<std::vector<std::vector<std::byte>>> CheckRun::Ask(
    const KernelRequest& request, std::vector<std::vector<std::byte>> inputs,
    const std::vector<std::vector<std::byte>>& contents) {
  std::vector<std::vector<std::byte>> outputs = Poisoned(OperandsOf(request).outputs);
  for (std::size_t k = 0; k < std::min(outputs.size(), contents.size()); ++k) {
    if (!contents[k].empty()) outputs[k] = contents[k];
  }
  const std::vector<std::span<std::byte>> out(outputs.begin(), outputs.end());
  const std::vector<std::span<const std::byte>> in(inputs.begin(), inputs.end());
  if (auto asked = device_.AskKernel(request, in, out); !asked) {
    return tl::unexpected<Error>(asked.error());
  }
  return outputs;
}

Expected<std::vector<std::vector<std::byte>>> CheckRun::AskTransfers(
    const TransferRequest& request, const std::vector<std::vector<std::byte>>& contents) {
  std::vector<std::vector<std::byte>> outputs = Poisoned(OperandsOf(request).outputs);
  const std::vector<std::span<std::byte>> out(outputs.begin(), outputs.end());
  const std::vector<std::span<const std::byte>> in(contents.begin(), contents.end());
  if (auto asked = device_.AskTransfers(request, in, out); !asked) {
    return tl::unexpected<Error>(asked.error());
  }
  return outputs;
}

bool CheckRun::MayMeet() const {
  constexpr int kMostVain = 20, kTriedEvery = 32;
  if (facts_.Number(DeviceQuery::kMaxComputeUnits) <= 1) return false;
  return session_->vain_launches < kMostVain || session_->vain_launches % kTriedEvery == 0;
}

std::uint32_t CheckRun::GatePatience() const {
  if (!MayMeet()) return 100;
  // llvmpipe ends a work-item after 65,535 rounds of its loops.  Elsewhere groups begin at once,
  // but a busy processor may take milliseconds to wake a thread.
  return facts_.compiles_once() ? 2000000 : 20000;
}

void CheckRun::NoteMet(bool met) {
  session_->vain_launches = met ? 0 : session_->vain_launches + 1;
}

bool CheckRun::NoteGate(const std::vector<std::byte>& gate) {
  const auto numbers = NumbersOf<std::uint32_t>(gate);
  const bool met = numbers[1] < numbers[0] / 4;
  NoteMet(met);
  return met;
}

void CheckRun::Answer(bool right, const std::function<CheckSighting()>& sighting) {
  ++tally_->answers;
  if (right) return;
  ++tally_->failures;
  if (tally_->recorded.size() < options_.max_failures) tally_->recorded.push_back(sighting());
}

std::vector<Check> AllChecks(const DeviceFacts& facts) {
  std::vector<Check> checks;
  AddIntegerChecks(facts, &checks);
  AddGroupChecks(facts, &checks);
  AddSubgroupChecks(facts, &checks);
  AddAtomicChecks(facts, &checks);
  AddMemoryChecks(facts, &checks);
  AddLayoutChecks(facts, &checks);
  AddLimitChecks(facts, &checks);
  AddTransferChecks(facts, &checks);
  return checks;
}

bool IsCheckName(const std::string& name) {
  return std::any_of(std::begin(kCheckLists), std::end(kCheckLists), [&](CheckList list) {
    return name == fmt::format("@{}", CheckListName(list)) ||
           name.starts_with(fmt::format("{}_", CheckListName(list)));
  });
}

Expected<std::vector<Check>> SelectChecks(const std::vector<Check>& checks,
                                          const std::vector<std::string>& names) {
  std::vector<bool> selected(checks.size());
  for (const std::string& name : names) {
    bool any = false;
    for (std::size_t k = 0; k < checks.size(); ++k) {
      const bool is_list = name == fmt::format("@{}", CheckListName(checks[k].list));
      if (!is_list && !Matches(checks[k].name, name)) continue;
      selected[k] = any = true;
    }
    if (!any) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("--functions {}: no row has this name; --list shows the rows", name));
    }
  }
  std::vector<Check> chosen;
  for (std::size_t k = 0; k < checks.size(); ++k) {
    if (selected[k]) chosen.push_back(checks[k]);
  }
  return chosen;
}

// The finalizer of splitmix64, once for each argument.
std::uint64_t CheckHash(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  std::uint64_t hash = seed;
  for (const std::uint64_t part : {a, b}) {
    hash = (hash ^ part) + 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
    hash ^= hash >> 31;
  }
  return hash;
}

std::string CasesProgram(const DeviceFacts& facts, std::string_view parameters,
                         std::string_view beginning, const std::vector<KernelCase>& cases) {
  std::string text;
  for (const KernelCase& one : cases) {
    text += facts.compiles_once()
                ? fmt::format("  case {}: {{ {} break; }}\n", one.number, one.text)
                : fmt::format("kernel void {}(uint which, {}) {{\n  {}\n  {}\n}}\n",
                              CaseKernel(facts, one.number), parameters, beginning, one.text);
  }
  if (!facts.compiles_once()) return text;
  return fmt::format("kernel void ask(uint which, {}) {{\n  {}\n  switch (which) {{\n{}  }}\n}}\n",
                     parameters, beginning, text);
}

std::string CaseKernel(const DeviceFacts& facts, std::uint32_t number) {
  return facts.compiles_once() ? "ask" : fmt::format("ask_{}", number);
}

KernelArgument InputOf(std::uint64_t size) {
  return {.kind = KernelArgument::Kind::kInput, .size = size, .value = {}};
}
KernelArgument OutputOf(std::uint64_t size) {
  return {.kind = KernelArgument::Kind::kOutput, .size = size, .value = {}};
}
KernelArgument LocalOf(std::uint64_t size) {
  return {.kind = KernelArgument::Kind::kLocal, .size = size, .value = {}};
}
KernelArgument ValueOf(std::uint32_t value) {
  std::vector<std::uint8_t> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return {.kind = KernelArgument::Kind::kValue, .size = sizeof value, .value = std::move(bytes)};
}

}  // namespace assay::oracle
