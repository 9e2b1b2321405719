#include "oracle/devices/opencl_listing.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/process.h"
#include "oracle/devices/opencl_info.h"
#include "oracle/devices/opencl_loader.h"
#include "oracle/devices/wire.h"

namespace assay::oracle {
namespace {

using nlohmann::json;

// More words than every machine's drivers have to say.
constexpr int kMostMessages = 10000;

// The number of no platform.
constexpr std::size_t kDone = ~std::size_t{0};

constexpr const char* kAskOne =
    "OCL_ICD_VENDORS=FOLDER, a folder with the .icd file of one driver, asks that one alone";

// The messages of the child: {"begin": PLATFORM}, {"option": ..., "description": ...},
// {"failure": TEXT}, {"note": TEXT}, and {"end": true}.
bool Tell(int out_fd, const json& message) {
  const std::string frame = wire::Frame(message);
  for (std::size_t sent = 0; sent < frame.size();) {
    const ssize_t put = write(out_fd, frame.data() + sent, frame.size() - sent);
    if (put < 0 && errno != EINTR) return false;
    if (put > 0) sent += static_cast<std::size_t>(put);
  }
  return true;
}

// The parent's side of one child.
class Listener {
 public:
  Listener(OpenClListing* listing, double seconds) : listing_(listing), seconds_(seconds) {}

  // Listens to a child that begins with platform `first`.  The platform with which to go on in
  // another child; kDone where there is no more to ask.
  Expected<std::size_t> Ask(std::size_t first, const std::string& executable);

 private:
  Expected<json> Receive(base::Process& process) const;
  // False at the end.
  Expected<bool> Take(const json& message);

  OpenClListing* listing_;
  double seconds_;
  std::size_t asking_ = kDone;  // the platform that was begun last
};

Expected<json> Listener::Receive(base::Process& process) const {
  std::uint32_t size = 0;
  if (auto read = process.Read(&size, sizeof size, seconds_); !read) {
    return tl::unexpected<Error>(read.error());
  }
  if (size > wire::kMaxMessage) return process.Abort("sent no list of devices");
  std::string text(size, '\0');
  if (auto read = process.Read(text.data(), size, seconds_); !read) {
    return tl::unexpected<Error>(read.error());
  }
  auto message = wire::Parse(text);
  if (!message) return process.Abort("sent no list of devices");
  return message;
}

Expected<bool> Listener::Take(const json& message) {
  if (message.contains("begin")) {
    asking_ = message.at("begin").get<std::size_t>();
  } else if (message.contains("description")) {
    auto description = wire::DescriptionFromJson(message.at("description"));
    if (!description) return tl::unexpected<Error>(description.error());
    listing_->devices.push_back({message.value("option", std::string()), std::move(*description)});
  } else if (message.contains("failure")) {
    listing_->failures.push_back({ErrorKind::kDevice, message.at("failure").get<std::string>()});
  } else if (message.contains("note")) {
    listing_->note = message.at("note").get<std::string>();
  }
  return !message.contains("end");
}

Expected<std::size_t> Listener::Ask(std::size_t first, const std::string& executable) {
  asking_ = kDone;
  auto process = base::Process::Start({executable, "devices", "--child", fmt::format("{}", first)},
                                      "assay devices --child");
  if (!process) return tl::unexpected<Error>(process.error());
  for (int k = 0; k < kMostMessages; ++k) {
    const auto message = Receive(**process);
    if (!message) {
      const std::string& why = message.error().message;
      listing_->failures.push_back(
          {ErrorKind::kDevice,
           asking_ == kDone
               ? fmt::format("the OpenCL loader or a driver that it loads: {}\n{}", why, kAskOne)
               : fmt::format("the OpenCL platform number {} (the first is 0): {}", asking_, why)});
      return asking_ == kDone ? kDone : asking_ + 1;
    }
    const auto goes_on = Take(*message);
    if (!goes_on) return tl::unexpected<Error>(goes_on.error());
    if (!*goes_on) return kDone;
  }
  return Fail(ErrorKind::kDevice, "the OpenCL drivers say more than can be listed");
}

}  // namespace

Expected<void> TellOpenClDevices(std::size_t first, int out_fd) {
  bool told = true;
  const pid_t self = getpid();
  auto tell = [&](const json& message) {
    if (getpid() != self) _exit(0);  // a copy that a driver made with fork
    told = told && Tell(out_fd, message);
  };
  const auto api = OpenClApi::Open();
  if (!api) {
    tell({{"note", api.error().message}});
  } else {
    const auto visited =
        VisitOpenClDevices(**api, first,
                           {.begin =
                                [&](std::size_t platform) {
                                  tell({{"begin", platform}});
                                },
                            .device =
                                [&](const OpenClDeviceInfo& info) {
                                  tell({{"option", fmt::format("--opencl '{}'", info.selector)},
                                        {"description", wire::ToJson(info.description)}});
                                },
                            .failed =
                                [&](const Error& error) {
                                  tell({{"failure", error.message}});
                                },
                            .none =
                                [&](const std::string& why) {
                                  tell({{"note", why}});
                                }});
    if (!visited) tell({{"failure", visited.error().message}});
  }
  tell({{"end", true}});
  if (!told) return Fail(ErrorKind::kDevice, "assay devices: the parent is gone");
  return {};
}

Expected<OpenClListing> ListOpenClDevices(double seconds, const std::string& executable) {
  OpenClListing listing;
  Listener listener(&listing, seconds);
  for (std::size_t next = 0; next != kDone;) {
    try {
      const auto asked = listener.Ask(next, executable);
      if (!asked) return tl::unexpected<Error>(asked.error());
      next = *asked;
    } catch (const json::exception& exception) {
      return Fail(ErrorKind::kDevice,
                  fmt::format("the list of OpenCL devices is damaged: {}", exception.what()));
    }
  }
  return listing;
}

}  // namespace assay::oracle
