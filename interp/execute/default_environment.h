// The settings of the processor that numerics expects.
#pragma once

#include <immintrin.h>

#include "interp/program/program.h"

namespace assay::interp {

// They hold for as long as it lives, whatever those of the kernel are.
class DefaultEnvironment {
 public:
  explicit DefaultEnvironment(const FloatControl& host)
      : changed_(!(host == FloatControl())), saved_(changed_ ? _mm_getcsr() : 0) {
    if (changed_) _mm_setcsr(0x1f80);
  }
  ~DefaultEnvironment() {
    if (changed_) _mm_setcsr(saved_);
  }
  DefaultEnvironment(const DefaultEnvironment&) = delete;
  DefaultEnvironment& operator=(const DefaultEnvironment&) = delete;

 private:
  bool changed_;
  unsigned saved_;
};

}  // namespace assay::interp
