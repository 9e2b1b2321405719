// Runs a kernel on 17 work-items whose buffer has 16 elements, and prints what is said of that.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "assay/session.h"

namespace {

constexpr const char* kSource =
    "kernel void scale(global float* a, float by) {\n"
    "  size_t i = get_global_id(0);\n"
    "  a[i] = a[i] * by;\n"
    "}\n";

int Fail(const assay::api::Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 1;
}

}  // namespace

int main() {
  const auto module = assay::api::Module::Compile(kSource, "scale.cl");
  if (!module) return Fail(module.error());
  auto session = assay::api::Session::Make(*module);
  if (!session) return Fail(session.error());
  const auto buffer = session->Allocate(16 * sizeof(float), "a");
  if (!buffer) return Fail(buffer.error());
  const std::vector<float> numbers(16, 1.5f);
  const auto contents = session->Contents(*buffer);
  std::memcpy(contents.data(), numbers.data(), contents.size());

  const std::vector<assay::api::Argument> arguments = {*buffer, assay::api::Value(2.0f)};
  const auto launch = session->Run("scale", {.global = {17}}, arguments);
  if (!launch) return Fail(launch.error());
  for (const assay::api::Finding& finding : launch->findings) {
    const std::string place = finding.source.substr(finding.source.rfind('/') + 1);
    std::printf("%s: %s\n", place.c_str(), finding.rule.c_str());
  }
  float first = 0;
  std::memcpy(&first, session->Contents(*buffer).data(), sizeof first);
  std::printf("%s; a[0] is %g\n", launch->end.c_str(), first);
  return 0;
}
