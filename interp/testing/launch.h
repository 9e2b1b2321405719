// Small kernels for tests: from source or text to a session whose results are easy to look at.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/opencl_c.h"
#include "frontend/testing_modules.h"
#include "interp/launch/launch.h"

namespace assay::interp {

class TestSession {
 public:
  // OpenCL C; the validator is left out.
  static Expected<TestSession> FromC(const std::string& source, const SessionOptions& options = {},
                                     const std::string& build_options = "") {
    // Once: tests run the same kernel many times.
    static std::map<std::pair<std::string, std::string>, frontend::Binary> binaries;
    auto known = binaries.find({source, build_options});
    if (known == binaries.end()) {
      auto compiled = frontend::CompileSource(source, "kernel.cl", "",
                                              {.build_options = build_options,
                                               .options_from = frontend::OptionsFrom::kCommandLine,
                                               .use_cache = false});
      if (!compiled) return tl::unexpected(compiled.error());
      known = binaries.try_emplace({source, build_options}, compiled->binary).first;
    }
    return FromBinary(known->second, options);
  }
  static Expected<TestSession> FromBinary(const frontend::Binary& binary,
                                          const SessionOptions& options) {
    auto module = frontend::BuildModule(binary);
    if (!module) return tl::unexpected(module.error());
    auto session = Session::Create(*module, options);
    if (!session) return tl::unexpected(session.error());
    TestSession result;
    result.session_ = std::move(*session);
    return result;
  }
  // SPIR-V's text form, behind frontend::kPreamble; the validator is left out.
  static Expected<TestSession> FromText(std::string_view body, const SessionOptions& options = {}) {
    auto binary = frontend::LoadText(frontend::WithPreamble(body), "test.spvasm");
    if (!binary) return tl::unexpected(binary.error());
    return FromBinary(*binary, options);
  }

  // Of zeros, all of which are in memory, but nowhere twice: where a limit on memory is tested.
  BufferArgument ZeroBuffer(std::uint64_t bytes) {
    const auto address = memory().Allocate(bytes, AddressSpace::kGlobal, "buffer", true);
    EXPECT_TRUE(address) << address.error().message;
    if (!address) return {};
    std::ranges::fill(memory().Bytes(*address), std::byte{0});
    return {*address};
  }
  template <typename T>
  BufferArgument Buffer(const std::vector<T>& values, AddressSpace space = AddressSpace::kGlobal) {
    const auto address = memory().Allocate(values.size() * sizeof(T), space, "buffer",
                                           space != AddressSpace::kConstant);
    EXPECT_TRUE(address) << address.error().message;
    if (!address) return {};
    std::memcpy(memory().Bytes(*address).data(), values.data(), values.size() * sizeof(T));
    return {*address};
  }
  template <typename T>
  std::vector<T> Read(BufferArgument buffer) {
    const auto bytes = memory().Bytes(buffer.address);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
  Expected<LaunchResult> Launch(const LaunchRequest& request) { return session_->Launch(request); }
  // Kernel `k` over work-items in one dimension.
  Expected<LaunchResult> Launch(std::vector<Argument> arguments, std::uint64_t items = 1,
                                const LaunchOptions& options = {}, std::uint64_t local = 0) {
    LaunchRequest request{.kernel = "k", .arguments = std::move(arguments), .options = options};
    request.range.global = {items, 1, 1};
    if (local != 0) request.range.local = {{local, 1, 1}};
    return session_->Launch(request);
  }
  Memory& memory() { return session_->memory(); }
  Session& session() { return *session_; }

 private:
  std::unique_ptr<Session> session_;
};

template <typename T>
BytesArgument Bytes(const T& value) {
  BytesArgument argument;
  argument.bytes.resize(sizeof value);
  std::memcpy(argument.bytes.data(), &value, sizeof value);
  return argument;
}

// What a module's text, whose kernel `k` has no parameters, fails with: when it is read, or when it
// is launched.
inline Error ErrorOfText(std::string_view body, const SessionOptions& options = {}) {
  auto session = TestSession::FromText(body, options);
  if (!session) return session.error();
  const auto result = session->Launch(std::vector<Argument>());
  EXPECT_FALSE(result) << "the launch was expected to fail";
  return result ? Error{} : result.error();
}

}  // namespace assay::interp
