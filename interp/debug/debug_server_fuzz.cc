// Any lines as what a person types at a stop: expressions, places, conditions, what to watch.  An
// answer or an error, and never a crash; and the run ends.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/module.h"
#include "frontend/opencl_c.h"
#include "interp/debug/core.h"
#include "interp/debug/server.h"
#include "interp/testing/debug_fuzzing.h"

namespace {

using namespace assay::interp;

constexpr std::size_t kMostLines = 8;
constexpr std::size_t kMostStops = 16;

constexpr const char* kSource = R"(#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
enum Mode { kOne, kTwo = 5 };
typedef union { int i; float f; uchar b[4]; } Bits;
typedef struct Node { char tag; float3 f; Bits bits; ushort u[2][3]; enum Mode mode; } Node;
constant float weights[3] = {1.0f, 2.0f, 0.1f};
float square(float x) { float y = x * x; return y; }
kernel void k(global float* out, local long* l, int n, Node node) {
  size_t i = get_global_id(0);
  double d = n;
  half h = (half)1.5f;
  char16 c = (char16)(n);
  bool is = n > 2;
  int unset;
  Node* p = &node;
  global float* null = 0;
  l[i] = -1;
  for (int j = 0; j < n; ++j) out[i] += square(j) * weights[j] + node.u[1][2] + h + d + c.s3 + is;
  if (null) *null = unset + p->tag;
})";

const std::shared_ptr<const assay::frontend::Module>& TheModule() {
  static const auto module = [] {
    const auto compiled = assay::frontend::CompileSource(
        kSource, "k.cl", "", {.build_options = "-cl-std=CL3.0 -g -O0", .use_cache = false});
    if (!compiled) {
      std::fprintf(stderr, "%s\n", compiled.error().message.c_str());
      std::exit(1);
    }
    auto built = assay::frontend::BuildModule(compiled->binary);
    if (!built) {
      std::fprintf(stderr, "%s\n", built.error().message.c_str());
      std::exit(1);
    }
    return *built;
  }();
  return module;
}

// Says each line at the first stop in `square`, the first character saying as what.
class Person : public DebugClient {
 public:
  explicit Person(std::string_view text) {
    while (!text.empty() && lines_.size() < kMostLines) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      lines_.emplace_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  DebugCore* core = nullptr;

  void Stopped(const DebugStop& stop) override {
    DebugServer server(core);
    (void)server.Describe(stop);
    if (stop.reason == DebugStop::Reason::kStart) {
      (void)core->Add({.number = 1, .location = "square"});
      return;
    }
    if (++stops_ == 1) {
      for (const std::string& line : lines_) {
        if (!line.empty()) Say(&server, line[0], line.substr(1));
      }
    } else if (stops_ >= kMostStops) {
      core->RemoveAll();
      core->goal = {};
    }
  }
  void Pause(bool) override {}

 private:
  void Say(DebugServer* server, char kind, const std::string& text) {
    const debug::Target frame{.frame = lines_.size() % 2};
    switch (kind) {
      case 'b':
        (void)core->Add({.number = 2, .location = text});
        return;
      case 'c':
        (void)core->Add({.number = 3, .location = "square", .condition = text});
        return;
      case 'v':
        (void)core->Add(DebugWatchpoint{
            .number = 4,
            .text = text,
            .item = DebugItemId{core->current().group, core->current().local},
            .site = core->program()->program.debug->markers[core->current().marker].site,
            .frame = DebugWatchpoint::Frame{.function = "square"}});
        return;
      case 'x':
        (void)server->Ask(debug::ExamineRequest{.target = frame, .expression = text, .count = 3});
        return;
      case 'u':
        (void)server->Ask(debug::NumericsRequest{.target = frame, .expression = text});
        return;
      case 't':
        (void)server->Ask(debug::EvaluateRequest{.expression = text, .is_type = true});
        return;
      case '=':
        (void)server->Ask(
            debug::EvaluateRequest{.target = frame, .expression = text, .assigns = true});
        return;
      default:
        (void)server->Ask(debug::EvaluateRequest{
            .target = frame, .expression = text, .format = std::string(1, kind)});
        return;
    }
  }

  std::vector<std::string> lines_;
  std::size_t stops_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Person person({reinterpret_cast<const char*>(data), size});
  DebugCore core(&person);
  person.core = &core;
  if (!LaunchUnder(&core, TheModule(), "k", size % 2 != 0 ? DetectorSet::All() : DetectorSet())) {
    std::abort();
  }
  return 0;
}
