// What the processes of a run of `assay exec --judge` did, as the layer has written it: why nothing
// was captured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::tools {

struct CapturedProcess {
  std::uint64_t process = 0;
  std::string program;                      // its path
  std::optional<std::string> other_type;    // asked for, and no device is of it: "gpu"
  std::optional<std::string> build_failed;  // the first failure: "error -11: ..."
  // The file of an ICD loader beside the one that has the layer, which takes no layers.
  std::optional<std::string> unseen_loader;
  bool context = false;  // was made
  bool launch = false;   // a kernel was launched
};

// Those of a folder of captures.  A file that is damaged is left out.
std::vector<CapturedProcess> ReadProcesses(const std::string& folder);

// Whether an ICD loader can be opened by these names.
struct LoaderNames {
  bool plain = false;      // libOpenCL.so, for which many programs ask
  bool versioned = false;  // libOpenCL.so.1
};
LoaderNames FindLoaders();

// "no launch was captured: only devices of type gpu were asked for ...", of one line.
std::string WhyNothingIsCaptured(const std::vector<CapturedProcess>& processes,
                                 const LoaderNames& loaders);

}  // namespace assay::tools
