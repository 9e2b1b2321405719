// Messages between a debugger's front end and the processes that run kernels for it: JSON over a
// socket, and open files beside it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/expected.h"

namespace assay::tools {

using DebugMessage = nlohmann::ordered_json;

// "" where the message has no such text.
inline std::string TextOf(const DebugMessage& message, const char* key) {
  return message.value(key, std::string());
}

// An end of a pair of sockets; closes it.
class DebugChannel {
 public:
  DebugChannel() = default;
  explicit DebugChannel(int descriptor) : descriptor_(descriptor) {}
  ~DebugChannel() { Close(); }
  DebugChannel(DebugChannel&& other) noexcept : descriptor_(other.Release()) {}
  DebugChannel& operator=(DebugChannel&& other) noexcept {
    if (this != &other) {
      Close();
      descriptor_ = other.Release();
    }
    return *this;
  }

  struct Pair;
  static Expected<Pair> Create();

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  void Close();
  int Release();

  // kDevice where the other end is gone.  `passed` goes with the message.
  Expected<void> Send(const DebugMessage& message, const DebugChannel* passed = nullptr) const;
  // Waits for a message; `taken` gets the passed descriptor, if there is one.
  Expected<DebugMessage> Receive(DebugChannel* taken = nullptr) const;
  // Whether Receive would return at once: a message has arrived, or the other end is closed.
  bool IsReady() const;

 private:
  int descriptor_ = -1;
};

struct DebugChannel::Pair {
  DebugChannel first, second;
};

}  // namespace assay::tools
