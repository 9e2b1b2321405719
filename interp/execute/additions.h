// Atomic additions whose results nobody uses, to small objects that the launch accesses in no other
// way: histograms, counters.  On several threads each thread adds to numbers of its own, which are
// added to memory at its end.  Otherwise the processors would hand the few cache lines of such an
// object from one to another for each addition.
//
// Which of several additions comes first cannot be seen, and nothing else reads or writes the
// object before the launch's end (Program::added, accessed_otherwise).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace assay::interp {

// The bytes of such an object.
struct AddedObject {
  std::byte* host = nullptr;
  std::uint64_t bytes = 0;
};

class Additions {
 public:
  explicit Additions(std::span<const AddedObject> objects) {
    for (const AddedObject& object : objects) objects_.push_back({object, {}});
  }

  // False: the number at `bytes` is none of these, or has not T's alignment in its object.
  template <typename T>
  bool Add(const std::byte* bytes, T value) {
    for (Object& object : objects_) {
      const auto offset = static_cast<std::uint64_t>(bytes - object.at.host);
      if (offset >= object.at.bytes) continue;  // also where it lies before the object
      auto& sums = std::get<std::vector<T>>(object.sums);
      if (sums.empty()) sums.resize(object.at.bytes / sizeof(T));
      if (offset % sizeof(T) != 0 || offset / sizeof(T) >= sums.size()) return false;
      sums[offset / sizeof(T)] = static_cast<T>(sums[offset / sizeof(T)] + value);
      return true;
    }
    return false;
  }

  // Adds everything to memory, beside other threads that do so.
  void Finish() {
    for (Object& object : objects_) {
      FinishOne<std::uint32_t>(&object);
      FinishOne<std::uint64_t>(&object);
    }
  }

 private:
  struct Object {
    AddedObject at;
    // Of each size of numbers; empty: there was no addition.
    std::tuple<std::vector<std::uint32_t>, std::vector<std::uint64_t>> sums;
  };

  template <typename T>
  static void FinishOne(Object* object) {
    auto& sums = std::get<std::vector<T>>(object->sums);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (sums[i] == 0) continue;
      __atomic_fetch_add(reinterpret_cast<T*>(object->at.host) + i, sums[i], __ATOMIC_RELAXED);
    }
    sums.clear();
  }

  std::vector<Object> objects_;
};

}  // namespace assay::interp
