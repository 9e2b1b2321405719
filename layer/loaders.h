// The ICD loaders of this process beside the one that has loaded the layer.
//
// A loader takes its layers when it looks for platforms.  A library that is given the objects of
// another loader (pyvkfft's, by pyopencl) never looks for any, so the layer asks its loader to.
#pragma once

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace assay::layer {

// The variable by which a loader knows layers, with the zero that ends it.
inline constexpr std::string_view kLayersVariable("OPENCL_LAYERS", sizeof "OPENCL_LAYERS");

// Has the object (program or library) that the address lies in this text in its constants?
bool ObjectHasText(const void* address, std::string_view text);

class OtherLoaders {
 public:
  // Asks the loaders that have come into the process since the last call; true where there were
  // some.  Thread-safe, and cheap where no library was opened.
  bool Ask();
  // The file of one that knows no layers: calls through it are not seen.
  std::string Unseen() const;

 private:
  std::atomic<unsigned long long> opened_ = 0;  // libraries, when they were looked at
  mutable std::mutex mutex_;                    // of what follows
  std::set<std::string> asked_;
  std::string unseen_;
};

// Called where the application makes contexts, queues, programs and memory, and before a capture.
void AskOtherLoaders();

}  // namespace assay::layer
