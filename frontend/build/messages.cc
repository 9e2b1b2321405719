// Messages on a socket (requests.h).

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "frontend/build/requests.h"

namespace assay::frontend {
namespace {

tl::unexpected<Error> Broken(std::string_view what) {
  return Fail(ErrorKind::kDevice, fmt::format("the build server's stream: {}", what));
}

std::string ErrnoText() { return std::generic_category().message(errno); }

Expected<void> AwaitReady(int descriptor, short events, double seconds) {
  pollfd waiting = {descriptor, events, 0};
  const int milliseconds = seconds > 0 ? static_cast<int>(seconds * 1000) : -1;
  for (;;) {
    const int ready = poll(&waiting, 1, milliseconds);
    if (ready > 0) return {};
    if (ready == 0) return Broken(fmt::format("nothing for {:.3g} s", seconds));
    if (errno != EINTR) return Broken(ErrnoText());
  }
}

Expected<void> SendAll(int descriptor, std::string_view bytes, double seconds) {
  while (!bytes.empty()) {
    // No signal where the other side is gone.
    const ssize_t sent = send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (auto good = AwaitReady(descriptor, POLLOUT, seconds); !good) return good;
    } else if (errno != EINTR) {
      return Broken(ErrnoText());
    }
  }
  return {};
}

Expected<void> ReceiveAll(int descriptor, char* to, std::size_t size, double seconds) {
  while (size > 0) {
    const ssize_t got = recv(descriptor, to, size, MSG_DONTWAIT);
    if (got == 0) return Broken("it has ended");
    if (got > 0) {
      to += got;
      size -= static_cast<std::size_t>(got);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (auto good = AwaitReady(descriptor, POLLIN, seconds); !good) return good;
    } else if (errno != EINTR) {
      return Broken(ErrnoText());
    }
  }
  return {};
}

}  // namespace

Expected<void> SendMessage(int descriptor, std::string_view bytes, double seconds) {
  if (bytes.size() > kMaxMessage) {
    return Broken(fmt::format("a message of {} bytes is too large", bytes.size()));
  }
  char head[sizeof(std::uint64_t)];
  const std::uint64_t size = bytes.size();
  std::memcpy(head, &size, sizeof head);
  if (auto good = SendAll(descriptor, {head, sizeof head}, seconds); !good) return good;
  return SendAll(descriptor, bytes, seconds);
}

Expected<std::string> ReceiveMessage(int descriptor, double seconds) {
  std::uint64_t size = 0;
  auto good = ReceiveAll(descriptor, reinterpret_cast<char*>(&size), sizeof size, seconds);
  if (!good) return tl::unexpected(good.error());
  if (size > kMaxMessage) return Broken("what comes is no message");
  std::string bytes;
  // In pieces, so that a damaged length alone takes no memory.
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  while (bytes.size() < size) {
    const std::size_t at = bytes.size();
    bytes.resize(std::min<std::size_t>(at + kPiece, size));
    good = ReceiveAll(descriptor, bytes.data() + at, bytes.size() - at, seconds);
    if (!good) return tl::unexpected(good.error());
  }
  return bytes;
}

}  // namespace assay::frontend
