// The rows of `assay validate --functions @integer,@groups,...`: what a device must do by a clause,
// outside of the numerical compliance chapter.
//
// A check is a row of a report: a name, the clause, what the device needs for it, and a function
// that asks kernels and judges their answers.  Expected values are computed here, by the clause's
// own words, and never by another kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/expected.h"
#include "oracle/checks/facts.h"
#include "oracle/devices/kernel_request.h"
#include "oracle/inputs/inputs.h"

namespace assay::oracle {

enum class CheckList : std::uint8_t {
  kInteger,
  kGroups,
  kSubgroups,
  kAtomics,
  kMemory,
  kLayout,
  kLimits,
  kTransfers,
};
inline constexpr CheckList kCheckLists[] = {
    CheckList::kInteger, CheckList::kGroups, CheckList::kSubgroups, CheckList::kAtomics,
    CheckList::kMemory,  CheckList::kLayout, CheckList::kLimits,    CheckList::kTransfers};
std::string_view CheckListName(CheckList list);  // "integer"

// One answer that breaks the clause.
struct CheckSighting {
  std::string input;  // "a = 127, b = 1, lane 3 of width 4"
  std::string observed;
  std::string expected;
  std::string options;  // of the command that shows it again: "--width 4 --at 127,1"; may be ""
};

struct CheckTally {
  std::uint64_t answers = 0;
  std::uint64_t failures = 0;
  std::vector<CheckSighting> recorded;
  // How often an allowed outcome was seen: the device's portrait (@memory).
  struct Seen {
    std::string outcome;
    std::uint64_t times = 0;
    bool weak = false;  // no interleaving gives it
  };
  std::vector<Seen> seen;
};

struct CheckOptions {
  Level level = Level::kSmoke;
  std::uint64_t seed = 1;
  std::size_t max_failures = 10;
  std::vector<int> widths = {1, 2, 3, 4, 8, 16};
  std::vector<std::string> at;  // operands of one item, or of each lane

  // A number of items, launches, shapes by level.
  std::uint64_t Of(std::uint64_t smoke, std::uint64_t standard, std::uint64_t exhaustive) const;
};

// What the checks of a run know of each other.
struct CheckSession {
  int vain_launches = 0;  // since groups met last
};

// A check at work: asks the device and counts.
class CheckRun {
 public:
  CheckRun(AnswersKernels& device, const DeviceFacts& facts, const CheckOptions& options,
           CheckSession* session, CheckTally* tally)
      : device_(device), facts_(facts), options_(options), session_(session), tally_(tally) {}

  const DeviceFacts& facts() const { return facts_; }
  const CheckOptions& options() const { return options_; }
  CheckTally& tally() { return *tally_; }

  // The outputs of a request: zones as OperandsOf says.  Those of buffers hold poison before, or
  // the content that `contents` has for them (an empty one: poison).
  Expected<std::vector<std::vector<std::byte>>> Ask(
      const KernelRequest& request, std::vector<std::vector<std::byte>> inputs = {},
      const std::vector<std::vector<std::byte>>& contents = {});

  // The outputs of commands on these contents.
  Expected<std::vector<std::vector<std::byte>>> AskTransfers(
      const TransferRequest& request, const std::vector<std::vector<std::byte>>& contents);

  // How often a group looks whether another one has begun, and whether some met in a launch.  On a
  // device whose groups do not run at one time nobody waits for long, but now and then it is tried.
  std::uint32_t GatePatience() const;
  bool MayMeet() const;
  void NoteMet(bool met);
  // Did most pairs of a launch meet?  Noted, too.
  bool NoteGate(const std::vector<std::byte>& gate);

  // Counts an answer; `sighting` is called where it is wrong and still recorded.
  void Answer(bool right, const std::function<CheckSighting()>& sighting);
  void Expect(bool right, std::string input, std::string observed, std::string expected) {
    Answer(right, [&] {
      return CheckSighting{std::move(input), std::move(observed), std::move(expected), ""};
    });
  }

 private:
  // Outputs of the next request.
  std::vector<std::vector<std::byte>> Poisoned(const std::vector<std::size_t>& sizes);

  AnswersKernels& device_;
  const DeviceFacts& facts_;
  const CheckOptions& options_;
  CheckSession* session_;
  CheckTally* tally_;
  std::uint64_t asked_ = 0;
};

struct Check {
  CheckList list = CheckList::kInteger;
  std::string name;    // "integer_add_sat_char"
  std::string clause;  // "OpenCL C 6.15.3"
  std::string lacks;   // the query that says that the device has none of this; "": it has
  std::function<Expected<void>(CheckRun&)> run;
  bool has_operands = false;  // --at goes with it
};

// The checks of each list, of a device with these facts.
void AddIntegerChecks(const DeviceFacts& facts, std::vector<Check>* checks);
void AddGroupChecks(const DeviceFacts& facts, std::vector<Check>* checks);
void AddSubgroupChecks(const DeviceFacts& facts, std::vector<Check>* checks);
void AddAtomicChecks(const DeviceFacts& facts, std::vector<Check>* checks);
void AddMemoryChecks(const DeviceFacts& facts, std::vector<Check>* checks);
void AddLayoutChecks(const DeviceFacts& facts, std::vector<Check>* checks);
void AddLimitChecks(const DeviceFacts& facts, std::vector<Check>* checks);
void AddTransferChecks(const DeviceFacts& facts, std::vector<Check>* checks);

std::vector<Check> AllChecks(const DeviceFacts& facts);
// Those that one of the names selects: "@integer", a name, or a pattern with '*'.  kUsage: a name
// selects nothing.
Expected<std::vector<Check>> SelectChecks(const std::vector<Check>& checks,
                                          const std::vector<std::string>& names);
// Does the name belong to a check, or select some?
bool IsCheckName(const std::string& name);

// A random number, a function of its arguments alone.
std::uint64_t CheckHash(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0);

// A program with a case for each number: one kernel that switches by `which`, its first parameter,
// or a kernel for each where the device compiles for each launch.
struct KernelCase {
  std::uint32_t number = 0;
  std::string text;  // statements
};
std::string CasesProgram(const DeviceFacts& facts, std::string_view parameters,
                         std::string_view beginning, const std::vector<KernelCase>& cases);
std::string CaseKernel(const DeviceFacts& facts, std::uint32_t number);

// The beginning of a kernel whose groups should run at one time, two by two: the first one of a
// pair waits until the second one has begun, but not for long, so that no progress is relied on.
// The gate is two zeros: groups that have begun, and pairs that did not meet.
inline constexpr std::string_view kMeetAtGate =
    R"(  if (get_local_id(0) == 0) {
    int ticket = atomic_inc(gate);
    if (ticket % 2 == 0) {
      uint t = atomic_or(gate + 1, 0) < 4 ? 0 : gate_patience;
      while (t < gate_patience && atomic_or(gate, 0) < ticket + 2) ++t;
      if (t == gate_patience) atomic_inc(gate + 1);
    }
  }
)";
inline constexpr std::string_view kGateParameters = "volatile global int* gate, uint gate_patience";
inline constexpr std::uint64_t kGateBytes = 8;

// Numbers as the bytes of a buffer, and back.
template <typename T>
std::vector<std::byte> BytesOf(const std::vector<T>& values) {
  const auto* data = reinterpret_cast<const std::byte*>(values.data());
  return {data, data + values.size() * sizeof(T)};
}
template <typename T>
std::vector<T> NumbersOf(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::copy_n(bytes.begin(), values.size() * sizeof(T),
              reinterpret_cast<std::byte*>(values.data()));
  return values;
}
KernelArgument InputOf(std::uint64_t size);
KernelArgument OutputOf(std::uint64_t size);
KernelArgument LocalOf(std::uint64_t size);
KernelArgument ValueOf(std::uint32_t value);

}  // namespace assay::oracle
