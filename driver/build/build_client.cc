#include "driver/build/build_client.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "base/run_tool.h"
#include "driver/build/server_process.h"

namespace assay::driver {
namespace {

namespace fs = std::filesystem;

// Longer than the server lets any request take (base::ResourceLimits, for each of its steps).
constexpr double kSilenceSeconds = 600;

frontend::BuildAnswer Failed(frontend::BuildStatus status, const std::string& log) {
  frontend::BuildAnswer answer;
  answer.status = status;
  answer.log = log + "\n";
  return answer;
}

// The folder of the shared object, or program, that this is linked into; empty where unknown.
fs::path OwnFolder() {
  Dl_info info = {};
  const auto address = reinterpret_cast<const void*>(&FindBuildProgram);
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code failure;
  const fs::path path = fs::canonical(info.dli_fname, failure);
  return failure ? fs::path() : path.parent_path();
}

}  // namespace

Expected<std::string> FindBuildProgram() {
  if (const char* named = std::getenv("ASSAY_PROGRAM"); named != nullptr && *named != '\0') {
    if (access(named, X_OK) == 0) return std::string(named);
    return Fail(ErrorKind::kUsage,
                fmt::format("ASSAY_PROGRAM names {}, which is no program that may be run; set it "
                            "to the path of assay, or unset it",
                            named));
  }
  const fs::path folder = OwnFolder();
  if (!folder.empty()) {
    for (const fs::path& path : {folder / "assay", folder.parent_path() / "bin" / "assay"}) {
      std::error_code failure;
      if (fs::is_regular_file(path, failure) && access(path.c_str(), X_OK) == 0) {
        return path.string();
      }
    }
  }
  std::string found = base::FindProgram("assay");
  if (!found.empty()) return found;
  return Fail(ErrorKind::kUsage,
              fmt::format("the program assay, which compiles for the OpenCL driver, is not found: "
                          "it is not in {0}, {0}/../bin or PATH; install assay, or set "
                          "ASSAY_PROGRAM to its path",
                          folder.empty() ? "the driver's folder" : folder.string()));
}

class BuildClient::Pool {
 public:
  explicit Pool(std::string program) : program_(std::move(program)) {}

  frontend::BuildAnswer Ask(const std::string& request) {
    const Turn turn(this);
    Error error;
    // A server may have ended since its last request, for example for want of memory, or be ended
    // by this one.
    for (int tries = 0; tries < 2; ++tries) {
      auto server = Take(tries == 0);
      if (!server) {
        return Failed(frontend::BuildStatus::kCompilerNotAvailable, server.error().message);
      }
      auto bytes = (*server)->Ask(request, kSilenceSeconds);
      if (!bytes) {
        error = bytes.error();
        continue;
      }
      auto answer = frontend::UnpackAnswer(std::move(*bytes));
      if (!answer) {
        return Failed(frontend::BuildStatus::kCompilerNotAvailable, answer.error().message);
      }
      Return(std::move(*server));
      return std::move(*answer);
    }
    return Failed(frontend::BuildStatus::kFailure,
                  fmt::format("{}: the build server ended twice while it built this program; is "
                              "there enough memory?",
                              error.message));
  }

 private:
  // One of kMaxServers requests at a time.
  class Turn {
   public:
    explicit Turn(Pool* pool) : pool_(pool) {
      std::unique_lock lock(pool_->mutex_);
      pool_->ended_.wait(lock, [&] { return pool_->running_ < kMaxServers; });
      ++pool_->running_;
    }
    ~Turn() {
      {
        const std::lock_guard lock(pool_->mutex_);
        --pool_->running_;
      }
      pool_->ended_.notify_one();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Pool* pool_;
  };

  Expected<std::unique_ptr<ServerProcess>> Take(bool may_be_used) {
    std::string program;
    {
      const std::lock_guard lock(mutex_);
      while (may_be_used && !idle_.empty()) {
        std::unique_ptr<ServerProcess> server = std::move(idle_.back());
        idle_.pop_back();
        if (server->IsOurs()) return server;
      }
      if (program_.empty()) {
        auto found = FindBuildProgram();
        if (!found) return tl::unexpected(found.error());
        program_ = std::move(*found);
      }
      program = program_;
    }
    return ServerProcess::Start(program);
  }

  void Return(std::unique_ptr<ServerProcess> server) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(server));
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  std::string program_;
  int running_ = 0;
  std::vector<std::unique_ptr<ServerProcess>> idle_;
};

BuildClient::BuildClient(std::string program) : pool_(std::make_unique<Pool>(std::move(program))) {}

BuildClient::~BuildClient() = default;

frontend::BuildAnswer BuildClient::Compile(const frontend::CompileRequest& request) {
  return pool_->Ask(frontend::Pack(request, frontend::RequestKind::kCompile));
}

frontend::BuildAnswer BuildClient::Build(const frontend::CompileRequest& request) {
  return pool_->Ask(frontend::Pack(request, frontend::RequestKind::kBuild));
}

frontend::BuildAnswer BuildClient::Link(const frontend::LinkRequest& request) {
  return pool_->Ask(frontend::Pack(request));
}

frontend::BuildAnswer BuildClient::CheckIl(const frontend::IlRequest& request) {
  return pool_->Ask(frontend::Pack(request));
}

}  // namespace assay::driver
