// Pointers that others must not use, and restrict ones, as one worker's accesses show them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "interp/detect/restrict_records.h"
#include "interp/execute/execute.h"
#include "interp/execute/pointer_view.h"
#include "interp/execute/watch.h"

namespace assay::interp {

class Pointers final : public PointerWatch {
 public:
  explicit Pointers(Worker* worker);

  void Attach(Batch* batch) override;
  void BeginGroup() override { local_.clear(); }
  void BeginBatch(const Batch& batch) override;

  // Values that may be addresses of private or local objects; `offset` of the value in the access
  // (aliases.cc).
  void Stored(Batch& batch, const FlatInstruction& instruction, std::uint32_t value,
              std::uint32_t bytes, std::uint64_t offset);
  void Loaded(Batch& batch, const FlatInstruction& instruction, std::uint32_t result,
              std::uint32_t bytes, std::uint64_t offset);
  // An access where restrict pointers share an object with others (restrict.cc).
  void AccessedBesideRestrict(Batch& batch, const FlatInstruction& instruction, std::uint32_t parts,
                              std::uint64_t part_bytes, bool writes);
  // A copy from memory to memory, where RestrictRecords are kept.
  void CopiedBesideRestrict(Batch& batch, std::uint32_t place, int lane, Address target,
                            Address source, std::uint64_t bytes);

 private:
  struct Accessed {  // by one work-item
    const Region* region = nullptr;
    Address address = 0;
    std::uint64_t bytes = 0;
    bool writes = false;
  };
  std::string DescribeAccess(const Accessed& access) const;
  bool BreaksRestrict(const Accessed& access, std::uint16_t mine);
  bool AccessedInCalls(Batch& batch, std::uint32_t place, int lane, const Accessed& access,
                       bool is_source);
  void ReportRestrict(Batch& batch, std::uint32_t place, int lane, const Accessed& access,
                      const RestrictUse& use, std::uint32_t other);
  const Program& program() const { return *worker_.launch().program; }

  Worker& worker_;
  PointerView view_;
  bool can_happen_ = false;                                // anything that the view is for
  std::vector<std::unique_ptr<RestrictRecords>> records_;  // of each batch
  std::unordered_map<Address, StoredPointer> local_;       // in the group's local memory
};

// That of a worker, which detectors.cc made; null: nobody watches.
inline Pointers* PointersOf(const Worker& worker) {
  return static_cast<Pointers*>(worker.pointers());
}

}  // namespace assay::interp
