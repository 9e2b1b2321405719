// Which accesses inside a call are through a restrict parameter of the function, and which are not
// (C99 6.7.3.1).
//
// An access is through a parameter if its address can only be based on what the parameter is when
// the function begins, and it is not through it if nothing that the address was made of can be.
// Everything else, as a pointer that was loaded, or an index that is a difference of such pointers,
// says nothing.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "interp/lower/pointer_roots.h"
#include "interp/lower/watch.h"

namespace assay::interp {
namespace {

class RestrictWatcher {
 public:
  RestrictWatcher(ImportedKernel* kernel, Program* program)
      : graph_(kernel->graph),
        program_(*program),
        roots_(*kernel),
        parameters_(graph_.restrict_parameters.size()),
        derived_(graph_.values.size()) {}

  void Run() {
    for (std::uint32_t i = 0; i < parameters_.size(); ++i) {
      const RestrictParameter& parameter = graph_.restrict_parameters[i];
      of_site_[parameter.site].push_back(i);
      parameters_[i].stop = {parameter.value};
      derived_[parameter.value] = true;
    }
    FindDerived();
    for (const IrBlock& block : graph_.blocks) {
      for (const std::uint32_t place : block.instructions) Look(place);
    }
    KeepDoubtful();
    SetUses();
    RemoveEntries();
  }

 private:
  struct Watched {
    std::unordered_set<Value> stop;  // its value
    bool used = false;               // there are accesses through it,
    bool passed = false;             // others,
    bool written = false;            // and stores
    std::set<PointerRoot> others;
    std::uint32_t number = kDropped;  // place in Program::restrict_pointers
  };
  static constexpr std::uint32_t kDropped = 0xffffffff;

  // --- what is made of restrict parameters, but not by way of memory ---

  void FindDerived() {
    for (bool changed = true; changed;) {
      changed = false;
      const auto derive = [&](Value result) {
        changed = changed || !derived_[result];
        derived_[result] = true;
      };
      for (const IrBlock& block : graph_.blocks) {
        for (const Phi& phi : block.phis) {
          if (AnyDerived(phi.operands)) derive(phi.result);
        }
        for (const std::uint32_t place : block.instructions) {
          const IrInstruction& instruction = graph_.instructions[place];
          // What comes from memory is not what led there.
          const Access access = TraitsOf(instruction.opcode).access;
          if (access == Access::kLoad || access == Access::kAtomic || access == Access::kImage ||
              !AnyDerived(graph_.Operands(instruction))) {
            continue;
          }
          for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
            derive(instruction.first_result + i);
          }
        }
      }
    }
  }
  bool AnyDerived(std::span<const Value> values) const {
    return std::ranges::any_of(values, [this](Value value) { return derived_[value]; });
  }

  // --- accesses ---

  void Look(std::uint32_t place) {
    const IrInstruction& instruction = graph_.instructions[place];
    std::vector<RestrictUse> uses;
    switch (TraitsOf(instruction.opcode).access) {
      case Access::kLoad:
        Sort(instruction, 0, false, &uses);
        break;
      case Access::kStore:
        Sort(instruction, 0, true, &uses);
        break;
      case Access::kCopy:
        Sort(instruction, 0, true, &uses);
        Sort(instruction, 1, false, &uses);
        break;
      case Access::kNone:
      case Access::kAtomic:  // not looked at: interp/detect/restrict.cc, "Known deviations"
      case Access::kStridedCopy:
      case Access::kText:
      case Access::kImage:
        break;
    }
    if (!uses.empty()) uses_.emplace_back(place, std::move(uses));
  }

  // One of an instruction's addresses, by the calls that it is in.
  void Sort(const IrInstruction& instruction, std::size_t operand, bool writes,
            std::vector<RestrictUse>* uses) {
    for (std::uint32_t site = instruction.site; site != 0; site = graph_.sites[site].caller) {
      const auto found = of_site_.find(site);
      if (found == of_site_.end()) continue;
      for (const std::uint32_t i : found->second) {
        const auto through = IsThrough(i, graph_.Operands(instruction)[operand]);
        if (!through) continue;
        uses->push_back({i, *through, operand == 1});
        parameters_[i].written = parameters_[i].written || writes;
      }
    }
  }

  std::optional<bool> IsThrough(std::uint32_t i, Value address) {
    Watched& watched = parameters_[i];
    const std::vector<PointerRoot> roots = roots_.Of(address, watched.stop, derived_);
    const auto is_stop = [](const PointerRoot& root) {
      return root.kind == PointerRoot::Kind::kStop;
    };
    if (roots.empty()) return std::nullopt;
    if (std::ranges::all_of(roots, is_stop)) {
      watched.used = true;
      return true;
    }
    if (std::ranges::any_of(roots, is_stop)) return std::nullopt;
    watched.passed = true;
    watched.others.insert(roots.begin(), roots.end());
    return false;
  }

  // --- the program ---

  // Forgets the calls in which no two accesses can be wrong.
  void KeepDoubtful() {
    for (std::uint32_t i = 0; i < parameters_.size(); ++i) {
      Watched& watched = parameters_[i];
      if (!watched.used || !watched.passed || !watched.written) continue;
      const RestrictParameter& parameter = graph_.restrict_parameters[i];
      watched.number = static_cast<std::uint32_t>(program_.restrict_pointers.size());
      program_.restrict_pointers.push_back(
          {.origin = parameter.origin,
           .roots = roots_.Of(parameter.value),
           .others = {watched.others.begin(), watched.others.end()}});
    }
  }

  void SetUses() {
    std::map<std::vector<RestrictUse>, std::uint32_t> places;
    places[{}] = 0;
    for (auto& [place, uses] : uses_) {
      std::vector<RestrictUse> kept;
      for (const RestrictUse& use : uses) {
        const std::uint32_t number = parameters_[use.pointer].number;
        if (number != kDropped) kept.push_back({number, use.through, use.is_source});
      }
      const auto next = static_cast<std::uint32_t>(program_.restrict_uses.size());
      const auto [known, is_new] = places.try_emplace(kept, next);
      if (is_new) program_.restrict_uses.push_back(kept);
      graph_.instructions[place].restrict_uses = known->second;
    }
  }

  void RemoveEntries() {
    for (IrBlock& block : graph_.blocks) {
      std::erase_if(block.instructions, [this](std::uint32_t place) {
        IrInstruction& instruction = graph_.instructions[place];
        if (instruction.opcode != Opcode::kEnterRestrict) return false;
        const std::uint32_t number = parameters_[instruction.immediate].number;
        instruction.immediate = number;
        return number == kDropped;
      });
    }
  }

  Graph& graph_;
  Program& program_;
  PointerRoots roots_;
  std::vector<Watched> parameters_;  // beside Graph::restrict_parameters
  std::vector<bool> derived_;        // by value
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> of_site_;
  std::vector<std::pair<std::uint32_t, std::vector<RestrictUse>>> uses_;  // by instruction
};

}  // namespace

void WatchRestrict(ImportedKernel* kernel, Program* program) {
  if (kernel->graph.restrict_parameters.empty()) return;
  RestrictWatcher(kernel, program).Run();
}

}  // namespace assay::interp
