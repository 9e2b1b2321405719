// Any change of a module's debug information: whoever reads it, stops in the kernel and asks for
// all that a debugger shows gets an answer or an error, soon, and the run ends.
//
// The input is a list of changes, six bytes each: which word of which instruction of debug
// information, of a string, a constant or a line becomes what.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "frontend/debug_instructions.h"
#include "frontend/decode.h"
#include "frontend/loader.h"
#include "frontend/opencl_c.h"
#include "interp/debug/server.h"
#include "interp/testing/debug_fuzzing.h"

namespace {

using namespace assay;
using frontend::Op;
using frontend::Word;
using interp::DebugServer;
namespace debug = interp::debug;

constexpr std::size_t kMostChanges = 64;
constexpr std::size_t kMostStops = 12;

constexpr const char* kSource = R"(
enum Mode { kOne, kTwo = 5 };
typedef union { int i; float f; uchar b[4]; } Bits;
typedef struct Node { char tag; float3 f; Bits bits; ushort u[2][3]; struct Node* next; } Node;
constant float weights[3] = {1.0f, 2.0f, 0.1f};
static inline __attribute__((always_inline)) float square(float x) { float y = x * x; return y; }
static inline __attribute__((always_inline)) float twice(float x) {
  { float z = square(x); return z + z; } }
kernel void k(global float* out, local long* l, int n) {
  Node node = {(char)n, (float3)(1.0f), {3}, {{1, 2, 3}, {4, 5, 6}}, 0};
  size_t i = get_global_id(0);
  enum Mode mode = kTwo;
  char16 c = (char16)(n);
  Node* p = &node;
  l[i] = -1;
  for (int j = 0; j < 2; ++j) {
    int inner = j;
    out[i] += twice(inner) * weights[j] + node.u[1][2] + c.s3;
  }
  out[0] = p->tag + mode;
})";

struct Base {
  std::vector<Word> words;
  std::vector<std::size_t> targets;  // places of instructions that may change
  std::vector<Word> ids;             // of records, strings and constants
};

Base Compile(const char* options) {
  const auto compiled =
      frontend::CompileSource(kSource, "k.cl", "", {.build_options = options, .use_cache = false});
  if (!compiled) {
    std::fprintf(stderr, "%s\n", compiled.error().message.c_str());
    std::exit(1);
  }
  Base base;
  base.words = compiled->binary.words;
  const frontend::DebugInstructions debug(base.words);
  frontend::ForEachInstruction(base.words, [&](std::size_t place, std::span<const Word> words) {
    const Op opcode = frontend::OpcodeOf(words[0]);
    const bool is_record = debug.Has(words);
    if (!is_record && opcode != Op::kLine && opcode != Op::kConstant && opcode != Op::kString) {
      return;
    }
    base.targets.push_back(place);
    if (is_record || opcode == Op::kConstant) base.ids.push_back(words[2]);
    if (opcode == Op::kString) base.ids.push_back(words[1]);
  });
  return base;
}

// The place: two bytes; which word: one; what: one; a number: two.
std::vector<Word> Changed(const Base& base, const std::uint8_t* data, std::size_t size) {
  constexpr Word kNumbers[] = {0, 1, 3, 24, 64, 0x7fffffff, 0x80000000, 0xffffffff};
  std::vector<Word> words = base.words;
  for (std::size_t i = 0; i + 6 <= size && i < 6 * kMostChanges; i += 6) {
    const std::size_t place =
        base.targets[(data[i] | static_cast<std::size_t>(data[i + 1]) << 8) % base.targets.size()];
    const std::size_t count = words[place] >> 16;
    const bool is_record = frontend::OpcodeOf(words[place]) == Op::kExtInst;
    const std::size_t first = is_record                                           ? 4
                              : frontend::OpcodeOf(words[place]) == Op::kConstant ? 3
                                                                                  : 2;
    if (count <= first) continue;
    const std::uint32_t number = data[i + 4] | static_cast<std::uint32_t>(data[i + 5]) << 8;
    words[place + first + data[i + 2] % (count - first)] =
        data[i + 3] % 3 == 0   ? kNumbers[number % std::size(kNumbers)]
        : data[i + 3] % 3 == 1 ? base.ids[number % base.ids.size()]
                               : number;
  }
  return words;
}

class Person : public interp::DebugClient {
 public:
  interp::DebugCore* core = nullptr;

  void Stopped(const interp::DebugStop& stop) override {
    DebugServer server(core);
    (void)server.Describe(stop);
    if (stop.reason == interp::DebugStop::Reason::kStart) {
      for (const char* place : {"square", "k", "16", "%20"}) {
        (void)core->Add({.number = 1, .location = place});
      }
    }
    if (++stops_ >= kMostStops) {
      core->RemoveAll();
      core->goal = {};
      return;
    }
    LookAround(&server);
  }
  void Pause(bool) override {}

 private:
  static void LookAround(DebugServer* server) {
    using Kind = debug::VariablesRequest::Kind;
    (void)server->Ask(debug::FramesRequest());
    (void)server->Ask(debug::VariablesRequest{.kind = Kind::kGlobals});
    (void)server->Ask(debug::VariablesRequest{.kind = Kind::kRegisters});
    (void)server->Ask(debug::ItemsRequest());
    (void)server->Ask(debug::GroupsRequest());
    (void)server->Ask(debug::ObjectsRequest());
    (void)server->Ask(debug::FunctionsRequest());
    (void)server->Ask(debug::DisassembleRequest());
    for (std::uint64_t frame = 0; frame < 3; ++frame) {
      const auto answer = server->Ask(debug::VariablesRequest{.target = {.frame = frame}});
      if (!answer) continue;
      for (const debug::Variable& one : answer->variables) {
        std::size_t asked = 0;
        for (const std::string& part : Ask(server, frame, one.name)) {
          if (++asked > 8) break;
          Ask(server, frame, ExpressionOf(one.name, part));
        }
      }
    }
  }

  static std::string ExpressionOf(const std::string& whole, const std::string& part) {
    if (part == "*") return "*(" + whole + ")";
    return "(" + whole + ")" + (part.starts_with("[") ? "" : ".") + part;
  }

  // Returns the names of the value's parts.
  static std::vector<std::string> Ask(DebugServer* server, std::uint64_t frame,
                                      const std::string& expression) {
    const debug::Target target{.frame = frame};
    std::vector<std::string> parts;
    for (const char* format : {"x", "s"}) {
      const auto answer = server->Ask(
          debug::EvaluateRequest{.target = target, .expression = expression, .format = format});
      if (answer) parts = answer->parts;
    }
    (void)server->Ask(debug::EvaluateRequest{.target = target, .expression = "*" + expression});
    (void)server->Ask(debug::EvaluateRequest{.expression = expression, .is_type = true});
    (void)server->Ask(debug::EvaluateRequest{
        .target = target, .expression = expression + " = " + expression, .assigns = true});
    (void)server->Ask(debug::NumericsRequest{.target = target, .expression = expression});
    return parts;
  }

  std::size_t stops_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Base kBases[] = {Compile("-cl-std=CL3.0 -g -O0"), Compile("-cl-std=CL3.0 -g -O2")};
  if (size == 0) return 0;
  const auto words = Changed(kBases[data[0] % 2], data + 1, size - 1);
  const auto binary = frontend::LoadBytes(std::as_bytes(std::span(words)), "fuzz.spv");
  if (!binary) return 0;
  const auto module = frontend::BuildModule(*binary);
  if (!module) return 0;
  Person person;
  interp::DebugCore core(&person);
  person.core = &core;
  (void)interp::LaunchUnder(&core, *module, "k",
                            size % 2 != 0 ? interp::DetectorSet::All() : interp::DetectorSet());
  return 0;
}
