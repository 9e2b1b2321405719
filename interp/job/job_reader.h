// Reads a job from the JSON document of a file (docs/cli.md, "Jobs").
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/expected.h"
#include "interp/job/buffer_content.h"
#include "interp/job/image_content.h"
#include "interp/job/job.h"
#include "interp/job/json_reader.h"

namespace assay::interp {

class JobReader {
 public:
  JobReader(const JsonTree& tree, const std::string& path, std::uint64_t max_bytes,
            const base::Budget& budget, base::ReadScope reads)
      : reader_(path, budget),
        root_{&tree, ""},
        folder_(std::filesystem::path(path).parent_path()) {
    job_.path = path;
    job_.max_bytes = max_bytes;
    job_.is_data = true;
    job_.reads = std::move(reads);
    job_.reads.Add(folder_.string());
    job_.load.budget = budget;
    job_.load.compile.reads = job_.reads;
  }

  Expected<Job> Read() {
    ReadJob();
    if (reader_.Failed()) return tl::unexpected(*reader_.error());
    return std::move(job_);
  }

 private:
  void ReadJob();
  void ReadModules();
  void ReadCompiler();
  void ReadSubgroupSize(const JsonPlace& place);
  void ReadForwardProgress(const JsonPlace& place);
  void ReadSpecConstants(const JsonPlace& place);
  void ReadNamedBuffers(const JsonPlace& place);
  void ReadLaunches();
  void ReadLaunch(const JsonPlace& place, bool only);
  void ReadRange(const JsonPlace& launch, NdRange* range);
  std::optional<JsonPlace> FindOrDefault(const JsonPlace& launch, std::string_view key) const;
  std::vector<std::uint64_t> ReadSizes(const JsonPlace& place);
  JobArgument ReadArgument(const JsonPlace& place, const std::string& name, bool only);
  JobArgument ReadBufferArgument(const JsonPlace& place, const std::string& name, bool only);
  void SetOffset(const JsonPlace& place, JobArgument* argument);
  JobArgument ReadScalar(const JsonPlace& place);
  // job_image.cc
  void ReadNamedImages(const JsonPlace& place);
  JobArgument ReadImageArgument(const JsonPlace& place, const std::string& name, bool only);
  JobArgument ReadImageOfBuffer(const JsonPlace& place);
  JobArgument ReadSampler(const JsonPlace& place);
  void ReadLevelOfDetail(const JsonPlace& place, float* lod);
  std::size_t ReadImage(const JsonPlace& place, const std::string& name);
  ImageRequest ReadImageForm(const JsonPlace& place);
  void ReadImageSize(const JsonPlace& place, ImageDescriptor* image);
  ImageInitializer ReadImageInitializer(const JsonPlace& place);
  void ReadExpectedImage(const JsonPlace& place, const std::string& name);
  std::vector<std::string> ReadFiles(const JsonPlace& place);
  std::string NameOf(const JsonPlace& member, const JsonPlace& object, std::string_view what);
  void SetAccessOf(const JsonPlace& place, JobBuffer* buffer);
  std::size_t ReadBuffer(const JsonPlace& place, const std::string& name);
  Initializer ReadInitializer(const JsonPlace& place);
  Initializer ReadRandom(const JsonPlace& place);
  void ReadExpectedFinding(const JsonPlace& place);
  void ReadExpectations(const JsonPlace& place);
  std::string ReadDigest(const JsonPlace& place);
  void ReadExpectedBuffer(const JsonPlace& place, const std::string& name);
  std::optional<std::size_t> FindBuffer(const JsonPlace& place, const std::string& name);
  std::string InFolder(const JsonPlace& place);
  std::string FolderOfFirstModule() const;

  JsonReader reader_;
  JsonPlace root_;
  std::filesystem::path folder_;
  Job job_;
  std::string value_type_;  // of the argument that is read: JobLaunch::value_types
  std::unordered_map<std::string, std::size_t> buffers_;  // and images; by name, the first of each
};

}  // namespace assay::interp
