#include "oracle/jobs/opencl_il.h"

#include <fmt/format.h>

#include <map>
#include <span>
#include <string>

#include "frontend/decode.h"
#include "oracle/devices/opencl_spirv.h"

namespace assay::oracle {
namespace {

using frontend::Decoration;
using frontend::Op;
using frontend::Word;

Expected<void> SetConstants(const OpenClApi& api, const OpenClDeviceInfo& info, cl_program program,
                            const frontend::Binary& module,
                            const frontend::Specialization& constants) {
  for (const auto& [id, value] : constants) {
    const std::size_t bytes = SpecializationConstantBytes(module, id);
    if (bytes == 0) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("{} has no specialization constant {}", module.name, id));
    }
    // The value's low bytes come first on every machine that assay runs on.
    const cl_int status = api.clSetProgramSpecializationConstant(program, id, bytes, &value);
    if (status == CL_SUCCESS) continue;
    return Fail(ErrorKind::kDevice,
                fmt::format("{}: clSetProgramSpecializationConstant({}, {} bytes): {}",
                            info.selector, id, bytes, OpenClErrorName(status)));
  }
  return {};
}

}  // namespace

std::size_t SpecializationConstantBytes(const frontend::Binary& module, std::uint32_t spec_id) {
  std::map<Word, std::size_t> widths;  // in bits, by type
  std::map<Word, Word> types;          // by constant
  std::map<Word, Word> spec_ids;       // by constant
  auto look = [&](std::size_t, std::span<const Word> words) {
    switch (frontend::OpcodeOf(words[0])) {
      case Op::kDecorate:
        if (static_cast<Decoration>(words[2]) == Decoration::kSpecId) spec_ids[words[1]] = words[3];
        break;
      case Op::kTypeBool:
        widths[words[1]] = 8;
        break;
      case Op::kTypeInt:
      case Op::kTypeFloat:
        widths[words[1]] = words[2];
        break;
      case Op::kSpecConstantTrue:
      case Op::kSpecConstantFalse:
      case Op::kSpecConstant:
        types[words[2]] = words[1];
        break;
      default:
        break;
    }
  };
  frontend::ForEachInstruction(module.words, look);
  for (const auto& [constant, id] : spec_ids) {
    if (id == spec_id && types.contains(constant)) return widths[types[constant]] / 8;
  }
  return 0;
}

ImageParameters ImageParametersOf(const frontend::Binary& module) {
  std::multimap<Word, std::string> kernels;          // by function: one may have several names
  std::map<Word, frontend::AccessQualifier> images;  // by type
  ImageParameters found;
  Word function = 0;
  std::size_t parameter = 0;
  auto look = [&](std::size_t, std::span<const Word> words) {
    switch (frontend::OpcodeOf(words[0])) {
      case Op::kEntryPoint:
        if (const auto name = frontend::StringAt(words.subspan(3))) {
          kernels.emplace(words[2], std::string(*name));
        }
        break;
      case Op::kTypeImage:  // result, seven operands, and the access qualifier where there is one
        if (words.size() > 9) images[words[1]] = static_cast<frontend::AccessQualifier>(words[9]);
        break;
      case Op::kFunction:
        function = words[2];
        parameter = 0;
        break;
      case Op::kFunctionParameter:
        if (const auto image = images.find(words[1]); image != images.end()) {
          const auto [first, last] = kernels.equal_range(function);
          for (auto kernel = first; kernel != last; ++kernel) {
            found[{kernel->second, parameter}] = image->second;
          }
        }
        ++parameter;
        break;
      default:
        break;
    }
  };
  frontend::ForEachInstruction(module.words, look);
  return found;
}

Expected<cl_program> CreateProgramWithIl(const OpenClApi& api, const OpenClDeviceInfo& info,
                                         cl_context context, const frontend::Binary& module,
                                         const frontend::Specialization& constants) {
  const auto support = SpirvSupportOf(api, info);
  if (!support) return tl::unexpected<Error>(support.error());
  if (!constants.empty() && !support->has_constants) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{}: values of specialization constants need "
                            "clSetProgramSpecializationConstant, of OpenCL 2.2; the device is "
                            "\"{}\"",
                            info.selector, info.description.device_version));
  }
  const auto program = CreateProgramOfWords(*support, info, context, module.words, module.name);
  if (!program) return program;
  if (auto set = SetConstants(api, info, *program, module, constants); !set) {
    api.clReleaseProgram(*program);
    return tl::unexpected<Error>(set.error());
  }
  return program;
}

}  // namespace assay::oracle
