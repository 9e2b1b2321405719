// Tracks which bits of registers and memory are undefined, and reports where such bits decide
// something.
//
// Every register has a record beside it, with a 1 for each undefined bit, and memory has one beside
// its bytes.  While a batch has met no undefined bit, its records are zero and nothing is computed:
// only loads read the record of memory, and the first undefined bit taints the batch.  From then on
// the record of each result follows from those of the operands (bit by bit for simple operations,
// as in Memcheck: Seward and Nethercote, USENIX 2005); if no operand has undefined bits, the cost
// is one test.
//
// Undefined bits may be copied and computed with.  They are reported where they decide something:
// in a branch, an address, a divisor, an atomic operation, an argument of a work-group function or
// of printf, and in a store to memory that outlives the kernel.
//
// Known deviations: in a module that was optimized, a store to global memory of a scalar that was
// just loaded, with some bytes that are completely undefined, is taken for the copy of a structure
// with padding, and is reported only when the value is used.  The same holds, in every module, for
// the fourth component that compilers add to vectors of three.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "interp/execute/batch.h"
#include "interp/execute/execute.h"
#include "interp/execute/plain_copies.h"
#include "interp/execute/watch.h"
#include "interp/rules/finding.h"

namespace assay::interp {

class Definedness final : public DefinednessWatch {
 public:
  Definedness();

  // The origin of undefined bits.
  struct Origin {
    enum class Cause : std::uint8_t { kUnknown, kMemory, kSource, kCheck, kAtomic };
    Cause cause = Cause::kUnknown;
    std::uint32_t place = 0;   // kMemory: of the load; kCheck, kAtomic: of the instruction
    std::uint32_t source = 0;  // kSource: place in Program::undefined_sources
    std::uint32_t object = 0;  // kMemory: of the region
    std::int64_t offset = 0;   // kMemory: of the first such load
    bool is_partial = false;   // kMemory: other bytes of the scalar were defined
    bool is_padding = false;   // kMemory: a store did not define it (a component or padding)
    bool is_copied = false;    // kMemory: a copy put undefined bytes there, or it is not known
    AddressSpace space = AddressSpace::kPrivate;
    std::optional<Rule> rule;  // kCheck
    std::string message;       // kCheck: of the first such value
    using Key = std::tuple<Cause, std::uint32_t, std::uint32_t, std::uint32_t, bool, bool, bool,
                           std::optional<Rule>>;
    Key KeyOf() const {
      return {cause, place, source, object, is_partial, is_padding, is_copied, rule};
    }
  };

  void Begin(Batch& batch) override;
  void Propagate(Batch& batch, const FlatInstruction& instruction, const ShadowStep& step) override;
  void Loaded(Batch& batch, const FlatInstruction& instruction, std::uint32_t result,
              std::uint32_t bytes, std::uint64_t offset);
  void Stored(Batch& batch, const FlatInstruction& instruction, const std::uint32_t* values,
              std::uint32_t parts, std::uint32_t bytes);
  void Use(Batch& batch, std::uint32_t place, std::uint32_t offset, std::uint32_t bytes,
           std::uint64_t lanes, std::string_view use, bool is_branch) override;
  // The specification does not define a value: lanes of a register become undefined.
  void MakeUndefined(Batch& batch, std::uint32_t offset, std::uint32_t bytes, std::uint64_t lanes,
                     Origin origin);
  void Clear(Batch& batch, std::uint32_t offset, std::uint32_t bytes) const override;
  void SetLane(Batch& batch, std::uint32_t offset, std::uint32_t bytes, int lane,
               std::uint64_t undefined, std::uint32_t origin) const override;
  std::byte* EnsureRecord(Batch& batch, int lane, Address address) override;
  void LoadedElement(Batch& batch, std::uint32_t place, std::uint32_t offset, std::uint32_t bytes,
                     int lane, Address address, std::uint64_t undefined,
                     std::uint32_t element_bytes) override;
  void Copied(Batch& batch, int lane, Address target, Address source, std::uint64_t bytes) override;
  // The same for each element of a copy from one object to another one (definedness_copies.cc).
  void CopiedElements(Batch& batch, int lane, const Spaced& target, const Spaced& source);
  // The bytes of a variable become undefined: nothing is stored there any more.
  void Forget(const std::byte* record, std::uint64_t bytes);
  // Else there is nothing to forget.
  bool HasStored() const { return !stored_.empty(); }
  // An atomic operation reads `bytes` of memory.  Returns their undefined bits, after reporting
  // them; values that depend on them are not reported again.  The bits stay undefined in memory
  // unless the operation overwrites them without using them.
  std::uint64_t ReadByAtomic(Batch& batch, const FlatInstruction& instruction, int lane,
                             Address address, std::uint64_t bytes, bool replaces);
  void ReturnedByAtomic(Batch& batch, const FlatInstruction& instruction, std::uint32_t result,
                        std::uint32_t bytes, int lane, std::uint64_t undefined) override;
  void LeftOpen(Batch& batch, std::uint32_t place, std::uint32_t offset, std::uint32_t bytes,
                int lane, Rule rule, const std::string& what) override;
  std::string WhyUndefined(const Worker& worker, std::uint32_t origin) const override {
    return Describe(worker, OriginOf(origin));
  }

 private:
  // A flag in the number of an origin: the value was used in a computation since.
  static constexpr std::uint32_t kDerived = 0x80000000;

  const Origin& OriginOf(std::uint32_t number) const { return origins_[number & ~kDerived]; }
  std::uint32_t Intern(Origin origin);
  std::uint32_t MemoryOrigin(Batch& batch, std::uint32_t place, int lane, Address address,
                             std::uint64_t undefined, std::uint32_t bytes);
  bool IsPadding(const Batch& batch, int lane, const std::uint32_t* values, std::uint32_t parts,
                 std::uint32_t part, std::uint32_t bytes) const;
  bool CopiesByScalars(const Batch& batch) const;
  static std::string Describe(const Worker& worker, const Origin& origin);
  static Rule RuleOf(const Worker& worker, const Origin& origin, bool is_branch);

  // The origin of undefined bits in memory that an atomic operation has reported.
  const std::uint32_t* FindTold(const Batch& batch, const Region* region,
                                const std::byte* record) const;

  struct Told {
    std::uint32_t origin = 0;
    std::uint64_t group = 0;  // the group that owns the local memory
  };
  std::unordered_map<const std::byte*, Told> told_;  // by the first byte that is undefined
  std::vector<Origin> origins_;
  std::map<Origin::Key, std::uint32_t> places_;
  // Where something undefined was stored, by the record of its first undefined byte.
  struct StoredValue {
    std::uint32_t origin = 0;  // 0: a copy of bytes that nothing was stored to
    std::uint32_t bytes = 0;
    std::uint64_t owner = 0;  // the batch or the group that had the memory
  };
  static constexpr std::uint32_t kMaxStoredBytes = 8;
  void Remember(const std::byte* record, const StoredValue& value);
  // Of the byte with this record; null: none is known.
  const StoredValue* FindStored(const Batch& batch, const Region* region,
                                const std::byte* record) const;
  std::uint64_t OwnerOf(const Batch& batch, const Region& region) const;

  std::unordered_map<const std::byte*, StoredValue> stored_;
  bool has_forgotten_ = false;                     // stored_ was full
  mutable std::optional<bool> copies_by_scalars_;  // once it was asked
  // Private memory is another batch's when the next one begins: the number of the batch that has
  // it, by its records.
  std::unordered_map<const std::byte*, std::uint64_t> frames_;
  std::uint64_t batches_ = 0;
};

// The detector of a worker, which detectors.cc made; null: the detector is off.
inline Definedness* DefinednessOf(const Worker& worker) {
  return static_cast<Definedness*>(worker.definedness());
}

}  // namespace assay::interp
