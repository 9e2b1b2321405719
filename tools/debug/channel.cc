#include "tools/debug/channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "interp/debug/codec.h"

namespace assay::tools {
namespace {

constexpr std::uint32_t kMostBytes = 1u << 28;

tl::unexpected<Error> Gone() {
  return Fail(ErrorKind::kDevice, "the process that runs the kernel has ended");
}

}  // namespace

Expected<DebugChannel::Pair> DebugChannel::Create() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Fail(ErrorKind::kDevice, fmt::format("no pair of sockets: {}", std::strerror(errno)));
  }
  return Pair{DebugChannel(ends[0]), DebugChannel(ends[1])};
}

void DebugChannel::Close() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

int DebugChannel::Release() {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  return descriptor;
}

Expected<void> DebugChannel::Send(const debug::Request& request) const {
  return SendText(debug::Encode(request), nullptr);
}

Expected<void> DebugChannel::Send(const debug::Message& message, const DebugChannel* passed) const {
  std::string text = debug::Encode(message);
  if (text.size() > kMostBytes) {
    text = debug::Encode(debug::Failure{"the answer is too large to show: ask for less"});
  }
  return SendText(text, passed);
}

Expected<debug::Request> DebugChannel::ReceiveRequest() const {
  const auto text = ReceiveText(nullptr);
  if (!text) return tl::unexpected(text.error());
  return debug::DecodeRequest(*text);
}

Expected<debug::Message> DebugChannel::ReceiveMessage(DebugChannel* taken) const {
  const auto text = ReceiveText(taken);
  if (!text) return tl::unexpected(text.error());
  return debug::DecodeMessage(*text);
}

Expected<void> DebugChannel::SendText(const std::string& text, const DebugChannel* passed) const {
  const auto length = static_cast<std::uint32_t>(text.size());
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
  bytes += text;
  for (std::size_t sent = 0; sent < bytes.size();) {
    iovec part{bytes.data() + sent, bytes.size() - sent};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    if (sent == 0 && passed != nullptr) {
      header.msg_control = control;
      header.msg_controllen = sizeof control;
      cmsghdr* item = CMSG_FIRSTHDR(&header);
      item->cmsg_level = SOL_SOCKET;
      item->cmsg_type = SCM_RIGHTS;
      item->cmsg_len = CMSG_LEN(sizeof(int));
      const int descriptor = passed->descriptor();
      std::memcpy(CMSG_DATA(item), &descriptor, sizeof descriptor);
    }
    const ssize_t done = sendmsg(descriptor_, &header, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return Gone();
    sent += static_cast<std::size_t>(done);
  }
  return {};
}

Expected<std::string> DebugChannel::ReceiveText(DebugChannel* taken) const {
  const auto read = [&](char* bytes, std::size_t count) {
    for (std::size_t got = 0; got < count;) {
      iovec part{bytes + got, count - got};
      msghdr header{};
      header.msg_iov = &part;
      header.msg_iovlen = 1;
      alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
      header.msg_control = control;
      header.msg_controllen = sizeof control;
      const ssize_t done = recvmsg(descriptor_, &header, MSG_CMSG_CLOEXEC);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) return false;
      for (cmsghdr* item = CMSG_FIRSTHDR(&header); item != nullptr;
           item = CMSG_NXTHDR(&header, item)) {
        if (item->cmsg_type != SCM_RIGHTS) continue;
        int descriptor = -1;
        std::memcpy(&descriptor, CMSG_DATA(item), sizeof descriptor);
        DebugChannel received(descriptor);
        if (taken != nullptr) *taken = std::move(received);
      }
      got += static_cast<std::size_t>(done);
    }
    return true;
  };
  std::uint32_t length = 0;
  if (!read(reinterpret_cast<char*>(&length), sizeof length) || length > kMostBytes) return Gone();
  std::string text(length, '\0');
  if (!read(text.data(), length)) return Gone();
  return text;
}

bool DebugChannel::IsReady() const {
  pollfd waiting{descriptor_, POLLIN, 0};
  return poll(&waiting, 1, 0) > 0;
}

}  // namespace assay::tools
