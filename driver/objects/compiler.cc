#include "driver/objects/compiler.h"

#include <filesystem>

#include "driver/build/build_client.h"

namespace assay::driver {

namespace {

BuildClient& Client() {
  static auto* const client = new BuildClient;  // as long as the process
  return *client;
}

// `failure`: the code of a program with errors; `options`: that of wrong options.
BuildResult ResultOf(frontend::BuildAnswer answer, cl_int failure, cl_int options) {
  BuildResult result;
  result.log = std::move(answer.log);
  result.words = std::move(answer.words);
  result.spec_constants = std::move(answer.spec_constants);
  switch (answer.status) {
    case frontend::BuildStatus::kSuccess:
      result.code = CL_SUCCESS;
      break;
    case frontend::BuildStatus::kFailure:
      result.code = failure;
      break;
    case frontend::BuildStatus::kInvalidOptions:
      result.code = options;
      break;
    case frontend::BuildStatus::kInvalidModule:
      result.code = CL_INVALID_VALUE;
      break;
    case frontend::BuildStatus::kCompilerNotAvailable:
      result.code = CL_COMPILER_NOT_AVAILABLE;
      break;
  }
  return result;
}

frontend::CompileRequest RequestFor(const std::string& source, const std::string& name,
                                    const std::string& options) {
  frontend::CompileRequest request;
  request.source = source;
  request.options = options;
  request.name = name;
  std::error_code error;
  request.working_folder = std::filesystem::current_path(error).string();
  if (request.working_folder.empty()) request.working_folder = "/";
  return request;
}

}  // namespace

BuildResult BuildSource(const std::string& source, const std::string& name,
                        const std::string& options) {
  return ResultOf(Client().Build(RequestFor(source, name, options)), CL_BUILD_PROGRAM_FAILURE,
                  CL_INVALID_BUILD_OPTIONS);
}

BuildResult CompileSource(const std::string& source, const std::string& name,
                          const std::string& options,
                          const std::vector<std::pair<std::string, std::string>>& headers) {
  frontend::CompileRequest request = RequestFor(source, name, options);
  for (const auto& [path, text] : headers) request.headers.push_back({path, text});
  return ResultOf(Client().Compile(request), CL_COMPILE_PROGRAM_FAILURE,
                  CL_INVALID_COMPILER_OPTIONS);
}

BuildResult CheckIl(const std::vector<std::byte>& il, const std::string& name,
                    const frontend::Specialization& specialization) {
  frontend::IlRequest request;
  request.bytes.assign(reinterpret_cast<const char*>(il.data()), il.size());
  request.name = name;
  request.specialization = specialization;
  return ResultOf(Client().CheckIl(request), CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BUILD_OPTIONS);
}

BuildResult Link(const std::vector<std::vector<frontend::Word>>& modules,
                 const std::string& options) {
  return ResultOf(Client().Link({modules, options}), CL_LINK_PROGRAM_FAILURE,
                  CL_INVALID_LINKER_OPTIONS);
}

}  // namespace assay::driver
