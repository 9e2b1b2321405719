// One build server: a process that is not the application's child.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/expected.h"

namespace assay::driver {

class ServerProcess {
 public:
  // kDevice with the reason where the program cannot be started.
  static Expected<std::unique_ptr<ServerProcess>> Start(const std::string& program);
  // The server ends when its socket closes.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // The answer's bytes; kDevice where the server ended or is silent for `seconds`.
  Expected<std::string> Ask(std::string_view request, double seconds);
  // Whether this process started it.  A fork of the application has copies of its sockets, and must
  // not use them.
  bool IsOurs() const;

 private:
  explicit ServerProcess(int socket);
  int socket_;
  pid_t owner_;
};

}  // namespace assay::driver
