// What the OpenCL driver asks the build server, and the answers, as values and as bytes.
//
// The bytes begin with the number of this form (kForm in requests.cc), and those of another one
// are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "frontend/constants.h"
#include "frontend/opencl_c.h"

namespace assay::frontend {

// A program of OpenCL C.
struct CompileRequest {
  std::string source;
  std::string options;  // as clBuildProgram takes them
  std::vector<EmbeddedHeader> headers;
  // The application's: a relative -I is below it, and #include looks there last.
  std::string working_folder;
  std::string name = "program";  // in messages and debug information: "program 3"
};

struct LinkRequest {
  std::vector<std::vector<Word>> modules;  // of earlier answers
  std::string options;                     // as clLinkProgram takes them
};

// A module of clCreateProgramWithIL: is it valid, and which specialization constants has it?
struct IlRequest {
  std::string bytes;
  std::string name = "program";
  // Values are checked to be of constants that exist; the words are answered as they came.
  Specialization specialization;
};

enum class BuildStatus : std::uint8_t {
  kSuccess,
  kFailure,               // the program has errors, or a limit was reached
  kInvalidOptions,        // CL_INVALID_BUILD_OPTIONS, _COMPILER_OPTIONS or _LINKER_OPTIONS
  kInvalidModule,         // what was given as SPIR-V is not
  kCompilerNotAvailable,  // CL_COMPILER_NOT_AVAILABLE: no compiler, or no build server
};

struct SpecConstant {
  std::uint32_t id = 0;     // SpecId
  std::uint32_t bytes = 0;  // 1 for a boolean
};

struct BuildAnswer {
  BuildStatus status = BuildStatus::kFailure;
  std::vector<Word> words;  // SPIR-V, validated; empty without success
  std::string log;          // for CL_PROGRAM_BUILD_LOG: warnings, errors, and what to do about them
  bool from_cache = false;  // nothing had to be compiled
  std::vector<SpecConstant> spec_constants;  // of an IlRequest, by id
};

// kCompile answers a module that may have imports; kBuild links it, too.
enum class RequestKind : std::uint8_t { kCompile, kBuild, kLink, kCheckIl };

struct Request {
  RequestKind kind = RequestKind::kCompile;
  CompileRequest compile;
  LinkRequest link;
  IlRequest il;
};

std::string Pack(const CompileRequest& request, RequestKind kind);
std::string Pack(const LinkRequest& request);
std::string Pack(const IlRequest& request);
std::string Pack(const BuildAnswer& answer);
// kUsage for bytes of another version of assay or damaged ones.
Expected<Request> UnpackRequest(std::string bytes);
Expected<BuildAnswer> UnpackAnswer(std::string bytes);

// A message on a stream: its length in eight bytes, and its bytes.  `seconds` is how long the other
// side may neither give nor take a byte; without a limit where it is 0.  kDevice where the stream
// ends or fails; `descriptor` is a socket.
inline constexpr std::uint64_t kMaxMessage = std::uint64_t{1} << 30;
Expected<void> SendMessage(int descriptor, std::string_view bytes, double seconds);
Expected<std::string> ReceiveMessage(int descriptor, double seconds);

}  // namespace assay::frontend
