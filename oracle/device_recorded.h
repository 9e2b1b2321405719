// Writing the files that OpenRecorded reads (docs/pipe-protocol.md, "Recordings").
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "oracle/device.h"

namespace assay::oracle {

class RecordingWriter {
 public:
  // Creates or empties `path` and writes the header.  kUsage where it cannot be written.
  static Expected<std::unique_ptr<RecordingWriter>> Create(const std::string& path,
                                                           const DeviceDescription& description);
  ~RecordingWriter();
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  // Appends the answers to `count` items in one width.  kDevice where the disk is full.
  Expected<void> Append(const TaskSpec& task, int width,
                        std::span<const numerics::ConstColumn> inputs,
                        std::span<const numerics::ConstColumn> outputs, std::size_t count);
  // Flushes and closes; a recording is whole only after this succeeded.
  Expected<void> Close();

 private:
  RecordingWriter(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}
  Expected<void> Put(const std::string& text);

  std::string path_;
  std::FILE* file_;
};

// A device that passes everything on to `device` and records its answers in `path`.  The recording
// is closed with the device; an error of the disk comes with the Run that met it.
Expected<std::unique_ptr<Device>> OpenRecording(std::unique_ptr<Device> device,
                                                const std::string& path);

}  // namespace assay::oracle
