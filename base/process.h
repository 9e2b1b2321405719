// A child process with pipes on its standard streams and a deadline for every exchange.  It keeps
// the child's last output for the error message.  Devices that may crash or hang run in one.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "base/leftovers.h"

namespace assay::base {

class Process {
 public:
  // Starts argv[0] (looked up in PATH).  `inherited_fd`, if not negative, is kInheritedFd in the
  // child.  kUsage: the file does not exist or is no program.  `label` names it in messages.
  static constexpr int kInheritedFd = 3;
  static Expected<std::unique_ptr<Process>> Start(const std::vector<std::string>& argv,
                                                  std::string label, int inherited_fd = -1);
  // Closes the child's input, and kills it and everything it started.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Each exchange fails with kDevice and a sentence about the child ("`x` was killed by signal 11
  // (Segmentation fault); its last words: ...") after which the child is gone.  `seconds` is how
  // long the child may neither take nor give a byte: a slow device is not a hung one.
  Expected<void> Write(std::span<const std::byte> data, double seconds);
  Expected<void> Write(std::string_view text, double seconds);
  Expected<void> Read(void* data, std::size_t size, double seconds);
  // One line without its newline; a line beyond `limit` bytes is an error.
  Expected<std::string> ReadLine(double seconds, std::size_t limit = 65536);

  // Waits up to `seconds` for output.  If the child has sent anything without a request, fails and
  // ends the child.
  Expected<void> ExpectSilence(double seconds = 0);

  // From now on all exchanges together have so long; no limit where it is negative.
  void LimitTotal(double seconds);

  // Appends to the output queue.  The next Read or ReadLine sends it while receiving, so that two
  // streaming sides do not wait for each other.
  void Queue(std::string_view text);
  void Queue(std::span<const std::byte> data);

  // Once *stop is set the child has kGraceSeconds to finish the exchange in hand before it is
  // ended.
  static constexpr double kGraceSeconds = 2;
  void EndSoonAfter(const std::atomic<bool>* stop) { stop_ = stop; }

  bool Alive() const { return pid_ > 0; }
  // The exit status of a child that ended by itself, or -1.
  int ExitStatus() const { return exit_status_; }
  const std::string& LastWords() const { return last_words_; }
  // Ends the child; `why` becomes the error of every later exchange.
  tl::unexpected<Error> Abort(const std::string& why);

 private:
  explicit Process(std::string label) : label_(std::move(label)) {}

  enum class Wait { kInput, kDrained };  // until some input came, until all output is sent
  Expected<void> Pump(Wait wait, double seconds);
  bool Flush();
  bool Receive();
  void CollectErrors();
  tl::unexpected<Error> Ended();
  std::string Farewell() const;
  void Kill();

  std::string label_;
  const std::atomic<bool>* stop_ = nullptr;
  std::optional<std::chrono::steady_clock::time_point> total_deadline_;
  pid_t pid_ = -1;
  int in_ = -1;   // the child's stdin
  int out_ = -1;  // the child's stdout
  int err_ = -1;  // the child's stderr
  int exit_status_ = -1;
  std::string pending_;  // queued for the child, sent up to sent_
  std::size_t sent_ = 0;
  std::string received_;  // from the child, consumed up to consumed_
  std::size_t consumed_ = 0;
  std::string last_words_;
  std::string failure_;
  std::optional<Leftover> leftover_;  // the group, while it is there
};

}  // namespace assay::base
