// What a device is asked about a kernel: one program, one launch, and queries of the host.
//
// The request is JSON, its operands and answers are bytes, so that they pass through the shared
// memory of a served device.  OpenCL API specification, 5.8 to 5.10.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "oracle/devices/image_request.h"
#include "oracle/devices/transfer_request.h"

namespace assay::oracle {

struct KernelArgument {
  enum class Kind : std::uint8_t {
    kInput,   // a buffer that the kernel reads
    kOutput,  // a buffer that goes in and out
    kLocal,   // local memory
    kValue,   // `value`
  };
  Kind kind = Kind::kInput;
  std::uint64_t size = 0;           // bytes
  std::vector<std::uint8_t> value;  // of kValue
};

// A query; the answer is a QueryAnswer.
struct HostQuestion {
  enum class Subject : std::uint8_t {
    kDevice,           // clGetDeviceInfo
    kKernelWorkGroup,  // clGetKernelWorkGroupInfo
    kKernelSubGroup,   // clGetKernelSubGroupInfo
    kKernel,           // clGetKernelInfo
    kAllocate,         // clCreateBuffer of `input[0]` bytes; nothing is written to it
  };
  Subject subject = Subject::kDevice;
  std::uint32_t what = 0;            // CL_DEVICE_*
  std::uint64_t room = 8;            // bytes of the answer at most
  std::vector<std::uint64_t> input;  // of kKernelSubGroup: sizes
};

struct KernelRequest {
  std::string source;  // "": no program, only questions of the device
  std::string options;
  std::string kernel;
  std::vector<KernelArgument> arguments;
  std::uint32_t dimensions = 1;
  std::array<std::uint64_t, 3> offset = {0, 0, 0};
  std::array<std::uint64_t, 3> global = {0, 0, 0};  // 0: the kernel is not launched
  std::array<std::uint64_t, 3> local = {0, 0, 0};   // 0: the device chooses
  std::uint32_t launches = 1;  // the same launch so often, before the buffers are read
  std::uint32_t printed = 0;   // room for the text that the kernel prints; 0: it is not caught
  bool tolerant = false;       // a call that fails is an answer, not an error
  std::vector<HostQuestion> questions = {};
};

// The outputs are those of kOutput in order; then, where asked, the text; then, where tolerant, the
// status; then an answer a question.
inline constexpr std::uint64_t kAnswerHead = 16;  // of text and queries: status, size
inline constexpr std::uint64_t kStatusSize = 8;
ImageOperands OperandsOf(const KernelRequest& request);

// The zone of a text or a query.
struct QueryAnswer {
  std::int64_t status = 0;       // an OpenCL error
  std::uint64_t size = 0;        // as the device says it
  std::vector<std::byte> value;  // `room` bytes
};
QueryAnswer ReadQueryAnswer(std::span<const std::byte> zone);
void WriteQueryAnswer(const QueryAnswer& answer, std::span<std::byte> zone);

// A device that executes kernels and commands.
class AnswersKernels {
 public:
  // The operands have the sizes of OperandsOf; outputs hold poison on entry.
  virtual Expected<void> AskKernel(const KernelRequest& request, ImageInputs inputs,
                                   ImageOutputs outputs) = 0;
  // kUnsupported where it only executes kernels.
  virtual Expected<void> AskTransfers(const TransferRequest& request, ImageInputs inputs,
                                      ImageOutputs outputs);
  // Does the device execute kernels on the processors of this machine, by threads of the process
  // that asks it (CL_DEVICE_TYPE_CPU)?
  virtual bool RunsOnProcessors() const { return false; }

 protected:
  ~AnswersKernels() = default;
};

nlohmann::json ToJson(const KernelRequest& request);
// kInternal where it is no request, or one that assay does not make.
Expected<KernelRequest> KernelRequestFromJson(const nlohmann::json& json);

}  // namespace assay::oracle
