// Drives the debugger's core as a user does, for tests.
#pragma once

#include <functional>
#include <utility>

#include "interp/debug/core.h"

namespace assay::interp {

// Takes the next step of a script at each stop.
class Script : public DebugClient {
 public:
  explicit Script(std::function<void(const DebugStop&)> step) : step_(std::move(step)) {}
  void Stopped(const DebugStop& stop) override { step_(stop); }
  void Pause(bool) override {}

 private:
  std::function<void(const DebugStop&)> step_;
};

}  // namespace assay::interp
