// Answers to queries: clGet*Info (OpenCL API, every "return type" column).
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "driver/core/error.h"

namespace assay::driver {

// Where an application wants an answer: param_value_size, param_value, param_value_size_ret.
class Info {
 public:
  Info(std::size_t size, void* value, std::size_t* size_ret)
      : size_(size), value_(value), size_ret_(size_ret) {}

  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void Put(const T& answer) const { PutBytes(&answer, sizeof answer); }
  // With its terminating zero.
  void PutText(std::string_view text) const {
    Check(text.size() + 1);
    if (value_ == nullptr) return;
    std::memcpy(value_, text.data(), text.size());
    static_cast<char*>(value_)[text.size()] = '\0';
  }
  template <typename T>
  void PutAll(std::span<const T> answers) const {
    PutBytes(answers.data(), answers.size_bytes());
  }
  // The query is none of this version or device: CL_INVALID_VALUE, which is no mistake.
  [[noreturn]] static void Unknown() {
    throw ApiError{CL_INVALID_VALUE, "the query is not known", true, {}};
  }
  void* value() const { return value_; }
  std::size_t size() const { return size_; }

 private:
  void PutBytes(const void* bytes, std::size_t size) const {
    Check(size);
    if (value_ != nullptr && size != 0) std::memcpy(value_, bytes, size);
  }
  void Check(std::size_t needed) const {
    if (value_ != nullptr && size_ < needed) {
      Refuse(CL_INVALID_VALUE, "param_value_size is less than the size of the answer");
    }
    if (size_ret_ != nullptr) *size_ret_ = needed;
  }

  std::size_t size_;
  void* value_;
  std::size_t* size_ret_;
};

}  // namespace assay::driver
