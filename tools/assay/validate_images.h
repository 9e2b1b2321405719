// assay validate DEVICE --functions @images: the images of a device (docs/validation.md, "Images").
#pragma once

#include <string>
#include <vector>

#include "oracle/campaign/campaign.h"
#include "oracle/devices/device.h"

namespace assay::tools {

struct ImagesCommand {
  oracle::Device& device;
  oracle::RunInfo run;
  std::vector<std::string> names;  // of rows: "@images", a name, a pattern
  std::string json, junit;         // files; "" is none, "-" is stdout (json)
  std::string title;               // of the device
  bool list = false;               // only names
  bool progress = false;
};

// The command's exit code.
int ValidateImages(const ImagesCommand& command);

}  // namespace assay::tools
