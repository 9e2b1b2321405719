// Random numbers that nobody can guess: for names of files and of requests.
#pragma once

#include <sys/random.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>

namespace assay::base {

// From the kernel.
inline std::uint64_t RandomNumber() {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) == sizeof number) return number;
  // A kernel before 3.17.
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return static_cast<std::uint64_t>(now) * 0x9e3779b97f4a7c15u ^
         static_cast<std::uint64_t>(getpid());
}

}  // namespace assay::base
