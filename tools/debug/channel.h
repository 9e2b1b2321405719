// Sends messages (interp/debug/messages.h) between a debugger's front end and the processes that
// run kernels for it.  They go through a socket as JSON, and an open file may go with one.
#pragma once

#include <string>

#include "base/expected.h"
#include "interp/debug/messages.h"

namespace assay::tools {

namespace debug = interp::debug;

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
  Expected<void> Send(const debug::Request& request) const;
  Expected<void> Send(const debug::Message& message, const DebugChannel* passed = nullptr) const;
  // Waits; `taken` gets what was passed, if something was.  kInternal for what is no message.
  Expected<debug::Request> ReceiveRequest() const;
  Expected<debug::Message> ReceiveMessage(DebugChannel* taken = nullptr) const;
  // Whether Receive would return at once: a message is there, or the other end is gone.
  bool IsReady() const;

 private:
  Expected<void> SendText(const std::string& text, const DebugChannel* passed) const;
  Expected<std::string> ReceiveText(DebugChannel* taken) const;

  int descriptor_ = -1;
};

struct DebugChannel::Pair {
  DebugChannel first, second;
};

}  // namespace assay::tools
