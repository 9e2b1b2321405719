#include "driver/objects/context.h"

#include <fmt/format.h>

#include <iterator>

#include "driver/core/call.h"
#include "driver/core/driver.h"
#include "driver/core/settings.h"
#include "driver/objects/scheduler.h"
#include "driver/objects/storage.h"

namespace assay::driver {

Context::Context(std::vector<Device*> of, std::vector<cl_context_properties> how)
    : Object(kKind),
      properties(std::move(how)),
      memory(std::make_shared<interp::Memory>(interp::kLayoutShared, SessionSettings().max_memory,
                                              SessionSettings().placement_seed)) {
  for (Device* device : of) devices.emplace_back(device);
}

Context::~Context() {
  TellLostSvm();
  // In the reverse order of their registration.
  for (auto function = destructors.rbegin(); function != destructors.rend(); ++function) {
    Driver::Get().scheduler->CallBack(std::move(*function));
  }
}

// Nothing can free it any more.
void Context::TellLostSvm() const {
  if (svm.empty()) return;
  std::string list;
  for (const auto& [address, allocation] : svm) {
    if (&allocation != &svm.begin()->second) list += ", ";
    if (list.size() > 200) {
      list += "...";
      break;
    }
    list += allocation.storage->name();
  }
  TellMisuse("clReleaseContext", interp::Rule::kHostLeak,
             fmt::format("{} ends before {} allocation{} of it {} freed: {}", Name(), svm.size(),
                         svm.size() == 1 ? "" : "s", svm.size() == 1 ? "is" : "are", list));
}

const Storage* Context::FindOwned(const void* pointer) const {
  const auto* address = static_cast<const std::byte*>(pointer);
  const auto after = owned->upper_bound(address);
  if (after == owned->begin()) return nullptr;
  const Storage* storage = std::prev(after)->second;
  return address < storage->bytes() + storage->size() ? storage : nullptr;
}

bool Context::Has(const Device* device) const {
  for (const Ref<Device>& own : devices) {
    if (own.get() == device) return true;
  }
  return false;
}

}  // namespace assay::driver
