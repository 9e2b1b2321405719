// What the layer knows of the handles that an application has.
//
// A record goes when the application has released its last reference (OpenCL API, 3.1, reference
// counts); whoever still uses the record keeps it by its shared pointer.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace assay::layer {

// Thread-safe.  `Handle` is a pointer of the API.
template <typename Handle, typename Record>
class Registry {
 public:
  std::shared_ptr<Record> Add(Handle handle, std::shared_ptr<Record> record) {
    const std::unique_lock lock(mutex_);
    records_[handle] = {record, 1};
    return record;
  }
  // Null for a handle that is not known.
  std::shared_ptr<Record> Find(Handle handle) const {
    const std::shared_lock lock(mutex_);
    const auto found = records_.find(handle);
    return found == records_.end() ? nullptr : found->second.record;
  }
  void Retain(Handle handle) {
    const std::unique_lock lock(mutex_);
    const auto found = records_.find(handle);
    if (found != records_.end()) ++found->second.references;
  }
  // The record, if this was the last reference.  To be called before the driver's function, which
  // may give the handle to another object at once.
  std::shared_ptr<Record> Release(Handle handle) {
    const std::unique_lock lock(mutex_);
    const auto found = records_.find(handle);
    if (found == records_.end() || --found->second.references != 0) return nullptr;
    std::shared_ptr<Record> record = std::move(found->second.record);
    records_.erase(found);
    return record;
  }
  std::vector<std::pair<Handle, std::shared_ptr<Record>>> All() const {
    const std::shared_lock lock(mutex_);
    std::vector<std::pair<Handle, std::shared_ptr<Record>>> all;
    for (const auto& [handle, entry] : records_) all.emplace_back(handle, entry.record);
    return all;
  }
  std::size_t size() const {
    const std::shared_lock lock(mutex_);
    return records_.size();
  }

 private:
  struct Entry {
    std::shared_ptr<Record> record;
    std::uint64_t references = 1;
  };
  mutable std::shared_mutex mutex_;
  std::unordered_map<Handle, Entry> records_;
};

}  // namespace assay::layer
