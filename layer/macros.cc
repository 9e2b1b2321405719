#include "layer/macros.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "base/digest.h"
#include "layer/follow.h"

namespace assay::layer {

namespace {

// Objects of the driver's, below the layer; a context of its own, so that what fails here is told
// to no function of the application's.
class Question {
 public:
  Question(cl_device_id device, const std::set<std::string>& names, const std::string& options)
      : device_(device), driver_(Target(device)), names_(names), options_(options) {}
  ~Question() {
    if (buffer_ != nullptr) driver_.clReleaseMemObject(buffer_);
    if (kernel_ != nullptr) driver_.clReleaseKernel(kernel_);
    if (program_ != nullptr) driver_.clReleaseProgram(program_);
    if (queue_ != nullptr) driver_.clReleaseCommandQueue(queue_);
    if (context_ != nullptr) driver_.clReleaseContext(context_);
  }
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  DriverMacros Answer() {
    std::string text(base::kMacroTextBytes, '\0');
    DriverMacros macros{.missing = Run(&text)};
    if (!macros.missing.empty()) return macros;
    auto answers = base::ReadMacroText(text, names_);
    if (answers) {
      macros.answers = std::move(*answers);
    } else {
      macros.missing = "the driver's answer is not whole";
    }
    return macros;
  }

 private:
  // "" where the driver has written the text.
  std::string Run(std::string* text) {
    const std::string source = base::MacroSource(names_);
    const char* begin = source.c_str();
    const std::string name(base::kMacroKernel);
    const auto bytes = static_cast<cl_uint>(text->size());
    cl_int status = CL_SUCCESS;
    const auto failed = [&](const char* call) {
      return fmt::format("{} failed with error {}", call, status);
    };
    context_ = driver_.clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    if (context_ == nullptr) return failed("clCreateContext");
    queue_ = driver_.clCreateCommandQueue(context_, device_, 0, &status);
    if (queue_ == nullptr) return failed("clCreateCommandQueue");
    program_ = driver_.clCreateProgramWithSource(context_, 1, &begin, nullptr, &status);
    if (program_ == nullptr) return failed("clCreateProgramWithSource");
    status = driver_.clBuildProgram(program_, 1, &device_, options_.c_str(), nullptr, nullptr);
    if (status != CL_SUCCESS) return failed("clBuildProgram");
    kernel_ = driver_.clCreateKernel(program_, name.c_str(), &status);
    if (kernel_ == nullptr) return failed("clCreateKernel");
    buffer_ = driver_.clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                                     text->data(), &status);
    if (buffer_ == nullptr) return failed("clCreateBuffer");
    const std::size_t one = 1;
    status = driver_.clSetKernelArg(kernel_, 0, sizeof buffer_, &buffer_);
    if (status == CL_SUCCESS) status = driver_.clSetKernelArg(kernel_, 1, sizeof bytes, &bytes);
    if (status != CL_SUCCESS) return failed("clSetKernelArg");
    status = driver_.clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &one, &one, 0, nullptr,
                                            nullptr);
    if (status != CL_SUCCESS) return failed("clEnqueueNDRangeKernel");
    status = driver_.clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, bytes, text->data(), 0,
                                         nullptr, nullptr);
    return status == CL_SUCCESS ? "" : failed("clEnqueueReadBuffer");
  }

  cl_device_id device_;
  const cl_icd_dispatch& driver_;
  const std::set<std::string>& names_;
  const std::string& options_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
  cl_mem buffer_ = nullptr;
};

std::set<std::string> NamesOf(const Build& build, const Includes& includes) {
  std::vector<std::string> sources;
  for (const Module& module : build.modules) {
    if (!module.is_il) sources.push_back(module.bytes);
  }
  if (sources.empty()) return {};
  for (const auto* files : {&build.headers, &includes.files}) {
    for (const auto& [name, text] : *files) sources.push_back(text);
  }
  return base::MacrosAsked(sources, build.options).names;
}

}  // namespace

const DriverMacros& MacroQuestions::Ask(cl_device_id device, const Build& build,
                                        const Includes& includes) {
  const std::set<std::string> names = NamesOf(build, includes);
  base::Digest digest;
  for (const std::string& name : names) digest.AddField(name);
  const auto [answer, is_new] =
      answers_.try_emplace({device, digest.AddField(build.options).Finish()});
  if (is_new && !names.empty()) {
    answer->second = Question(device, names, build.options).Answer();
  }
  return answer->second;
}

}  // namespace assay::layer
