// Builds programs in other processes: the program `assay` as a build server.  Nothing is compiled
// in the application's process, and no child process stays in it.
#pragma once

#include <memory>
#include <string>

#include "frontend/build/requests.h"

namespace assay::driver {

// Every function may be called from any thread.  Requests at the same time go to servers of their
// own, up to kMaxServers; others wait.  A server stays for later requests and ends with the
// application or with this object.  One that ends in a request is started again once.
//
// An answer of kCompilerNotAvailable has a log that says what is missing: the program, which is
// looked for as `FindProgram` says, or the compilers.  Nothing else is told of by other means.
class BuildClient {
 public:
  static constexpr int kMaxServers = 4;

  // `program`: the path of `assay`; empty: found at the first request.
  explicit BuildClient(std::string program = "");
  ~BuildClient();
  BuildClient(const BuildClient&) = delete;
  BuildClient& operator=(const BuildClient&) = delete;

  frontend::BuildAnswer Compile(const frontend::CompileRequest& request);  // clCompileProgram
  frontend::BuildAnswer Build(const frontend::CompileRequest& request);    // clBuildProgram
  frontend::BuildAnswer Link(const frontend::LinkRequest& request);        // clLinkProgram
  frontend::BuildAnswer CheckIl(const frontend::IlRequest& request);       // clCreateProgramWithIL

 private:
  class Pool;
  std::unique_ptr<Pool> pool_;
};

// Where the program `assay` is: ASSAY_PROGRAM; else beside this shared object or in ../bin of its
// folder; else in PATH.  kUsage with how to get it where it is in none of them.
Expected<std::string> FindBuildProgram();

}  // namespace assay::driver
