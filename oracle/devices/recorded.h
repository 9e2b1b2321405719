// Writing the files that OpenRecorded reads (docs/pipe-protocol.md, "Recordings").
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "base/file.h"
#include "oracle/devices/device.h"

namespace assay::oracle {

class RecordingWriter {
 public:
  // Begins the file and writes the header; it gets its name at Close.  kDevice where it cannot be
  // written.
  static Expected<std::unique_ptr<RecordingWriter>> Create(const std::string& path,
                                                           const DeviceDescription& description);
  ~RecordingWriter();
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  // Appends the answers to `count` items in one width.  kDevice where the disk is full.
  Expected<void> Append(const TaskSpec& task, int width,
                        std::span<const numerics::ConstColumn> inputs,
                        std::span<const numerics::ConstColumn> outputs, std::size_t count);
  // Writes the seal and gives the file its name; without this there is no recording.
  Expected<void> Close();

 private:
  RecordingWriter() = default;
  Expected<void> Put(const std::string& text);

  std::unique_ptr<base::FileWriter> file_;  // null: closed
  base::Digest digest_;
  std::size_t lines_ = 0;
};

// The last line of a recording: how many lines stand before it, and the SHA-256 of all their bytes.
inline constexpr std::string_view kSealWord = "seal ";
std::string SealLine(std::size_t lines, const std::string& digest);

// A device that forwards everything to `device` and records its answers in `path`, which exists
// after Finish.  If the disk is full, Run fails.
Expected<std::unique_ptr<Device>> OpenRecording(std::unique_ptr<Device> device,
                                                const std::string& path);

}  // namespace assay::oracle
