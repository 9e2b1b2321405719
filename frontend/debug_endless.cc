#include "frontend/debug_endless.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "frontend/debug_records.h"

namespace assay::frontend {
namespace {

constexpr std::size_t kFirstMember = 9;  // of DebugTypeComposite

// Which records a record leads to.  Both graphs have to be without cycles: what a value consists
// of, and what a type's name consists of.
enum class Way : std::uint8_t { kValue, kName };

std::vector<Id> NextOf(const DebugOperands& record, Way way) {
  switch (record.number) {
    case DebugNumber::kDebugLexicalBlock:
      return {record.At(3)};
    case DebugNumber::kDebugLexicalBlockDiscriminator:
      return {record.At(2)};
    case DebugNumber::kDebugInlinedAt:
      return {record.At(1), record.At(2)};
    case DebugNumber::kDebugTypedef:
    case DebugNumber::kDebugTypeEnum:
    case DebugNumber::kDebugTypeMember:
      return {record.At(1)};
    case DebugNumber::kDebugTypeQualifier:
    case DebugNumber::kDebugTypeArray:
    case DebugNumber::kDebugTypeVector:
      return {record.At(0)};
    case DebugNumber::kDebugTypePointer:
      return way == Way::kName ? std::vector<Id>{record.At(0)} : std::vector<Id>();
    case DebugNumber::kDebugTypeComposite: {
      if (way == Way::kName) return {};
      const auto members = record.words.subspan(std::min(kFirstMember, record.words.size()));
      return {members.begin(), members.end()};
    }
    default:
      return {};
  }
}

// A walk in depth with a stack of its own: the records decide how deep it goes.
class Walk {
 public:
  Walk(const Module& module, Way way, std::unordered_set<Id>* endless)
      : module_(module), way_(way), endless_(*endless) {}

  void From(Id id) {
    Enter(id);
    while (!path_.empty()) {
      Step& step = path_.back();
      if (step.at == step.next.size()) {
        Leave();
        continue;
      }
      const Id next = step.next[step.at++];
      const auto known = height_.find(next);
      if (known == height_.end()) {
        Enter(next);
      } else if (known->second == kOnPath) {
        step.is_endless = true;
      } else {
        step.height = std::max(step.height, known->second);
      }
    }
  }

 private:
  static constexpr std::uint32_t kOnPath = 0xffffffff;
  struct Step {
    Id id = 0;
    std::vector<Id> next;
    std::size_t at = 0;
    std::uint32_t height = 0;  // of the highest of those that were left
    bool is_endless = false;
  };

  void Enter(Id id) {
    if (height_.contains(id) || endless_.contains(id)) return;
    const auto record = ReadDebugOperands(module_, id);
    if (!record) return;
    height_[id] = kOnPath;
    path_.push_back({.id = id, .next = NextOf(*record, way_)});
  }

  void Leave() {
    const Step step = std::move(path_.back());
    path_.pop_back();
    std::uint32_t height = step.height + 1;
    if (step.is_endless || height > kMostDebugDepth) {
      endless_.insert(step.id);
      height = 0;
    }
    height_[step.id] = height;
    if (!path_.empty()) path_.back().height = std::max(path_.back().height, height);
  }

  const Module& module_;
  const Way way_;
  std::unordered_set<Id>& endless_;
  std::unordered_map<Id, std::uint32_t> height_;
  std::vector<Step> path_;
};

}  // namespace

std::unordered_set<Id> FindEndlessRecords(const Module& module) {
  std::unordered_set<Id> endless;
  for (const Way way : {Way::kValue, Way::kName}) {
    Walk walk(module, way, &endless);
    for (const Instruction& instruction : module.instructions) {
      if (ReadDebugOperands(module, instruction)) walk.From(instruction.result);
    }
  }
  return endless;
}

}  // namespace assay::frontend
