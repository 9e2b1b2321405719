#include "testsuites/hostile/icd/kernel_code.h"

#include <cctype>

namespace assay::hostile {
namespace {

constexpr int kSwitchStep = 32;  // `which` is 32 times the member of the family, plus the width

// "... global const float* x0, global int* r0": the types of the columns.
bool ReadParameters(std::string_view text, KernelCode* code) {
  constexpr std::string_view kInput = "global const ", kOutput = "global ";
  while (true) {
    const std::size_t at = text.find(kOutput);
    if (at == std::string_view::npos) return !code->outputs.empty();
    text.remove_prefix(at);
    const bool input = text.starts_with(kInput);
    text.remove_prefix(input ? kInput.size() : kOutput.size());
    const auto type = TypeFromName(text.substr(0, text.find('*')));
    if (!type) return false;
    (input ? code->inputs : code->outputs).push_back(*type);
  }
}

// "convert_int4_sat_rte(x)", "vstore_half4_rtz(x, i, r0)": the name without the width.
std::string NameOfCall(std::string_view text) {
  std::size_t at = text.find("convert_");
  if (at == std::string_view::npos) at = text.find("vstore_half");
  if (at == std::string_view::npos) at = text.find("vload_half");
  if (at == std::string_view::npos) return "";
  std::string name;
  for (char c : text.substr(at, text.find('(', at) - at)) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) name += c;
  }
  return name;
}

bool IsConversion(const std::string& function) {
  return function.starts_with("convert_") || function.starts_with("vstore_half") ||
         function.starts_with("vload_half");
}

}  // namespace

std::optional<KernelCode> FindKernel(const std::string& source, const std::string& name) {
  constexpr std::string_view kPrefix = "assay_";
  const std::size_t at = source.find("kernel void " + name + "(");
  if (at == std::string::npos || !name.starts_with(kPrefix)) return std::nullopt;
  KernelCode code;
  code.name = name;
  code.makes_operands = name == "assay_range";
  if (code.makes_operands) return code;
  const std::size_t next = source.find("\nkernel void ", at);
  code.body = source.substr(at, next == std::string::npos ? next : next - at);
  const std::size_t open = code.body.find('(');
  code.switched = code.body.compare(open + 1, 9, "int which") == 0;
  if (!ReadParameters(std::string_view(code.body).substr(0, code.body.find('{')), &code)) {
    return std::nullopt;
  }
  std::string words = name.substr(kPrefix.size());
  if (!code.switched) {
    const std::size_t width = words.rfind("_w");
    code.width = std::stoi(words.substr(width + 2));
    words.resize(width);
  }
  code.function = words.substr(0, words.rfind('_'));
  if (FunctionOf(code.function, code.inputs, code.outputs) == nullptr) return std::nullopt;
  return code;
}

std::optional<KernelCode::Selected> KernelCode::Select(int which) const {
  Selected selected{function, width, nullptr};
  if (switched) {
    const std::size_t at = body.find("case " + std::to_string(which) + ": {");
    if (at == std::string::npos) return std::nullopt;
    selected.width = which % kSwitchStep;
    // The variants of a conversion are told apart by the call.
    if (IsConversion(function)) {
      selected.function =
          NameOfCall(std::string_view(body).substr(at, body.find("break;", at) - at));
    }
  }
  selected.compute = FunctionOf(selected.function, inputs, outputs);
  if (selected.compute == nullptr) return std::nullopt;
  return selected;
}

}  // namespace assay::hostile
