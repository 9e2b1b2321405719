// Runs a library that cannot be limited in a forked copy of this process, which can be killed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "base/limits.h"

namespace assay::base {

// Runs `work` in the child and returns its result.  kDevice if the budget's limits are exceeded
// first (memory: of both processes together), or the child crashes.  `doing` describes the work for
// messages: "validating m.spv". The child has one thread, with a stack that is limited only by
// memory.  It ends with this process, and must not print.  When `stop` is set it is ended, which
// removes its Leftovers and is kDevice; the child itself ignores SIGINT and SIGTERM then, which
// come to the whole group.
Expected<std::string> InChild(const Budget& budget, std::string_view doing,
                              const std::function<std::string()>& work,
                              const std::atomic<bool>* stop = nullptr);

// The items of a vector as bytes, and back.
template <typename T>
std::string_view BytesOf(const std::vector<T>& items) {
  return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T)};
}
template <typename T>
std::vector<T> ItemsOf(std::string_view bytes) {
  std::vector<T> items(bytes.size() / sizeof(T));
  if (!items.empty()) std::memcpy(items.data(), bytes.data(), items.size() * sizeof(T));
  return items;
}

// Strings and numbers as a sequence of bytes, for messages between two processes of this program.
class Packed {
 public:
  Packed() = default;
  explicit Packed(std::string bytes) : bytes_(std::move(bytes)) {}
  const std::string& bytes() const { return bytes_; }

  void Add(std::uint64_t number);
  void Add(std::string_view text);
  // In the order of Add; zero and empty at the end.
  std::uint64_t Number();
  std::string Text();

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

}  // namespace assay::base
