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
#include "base/json_reader.h"

namespace assay::interp {

class JobReader {
 public:
  JobReader(const base::JsonTree& tree, const std::string& path, std::uint64_t max_bytes,
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
  void ReadSubgroupSize(const base::JsonPlace& place);
  void ReadForwardProgress(const base::JsonPlace& place);
  void ReadSpecConstants(const base::JsonPlace& place);
  void ReadNamedBuffers(const base::JsonPlace& place);
  void ReadLaunches();
  void ReadLaunch(const base::JsonPlace& place, bool only);
  void ReadRange(const base::JsonPlace& launch, NdRange* range);
  std::optional<base::JsonPlace> FindOrDefault(const base::JsonPlace& launch, std::string_view key) const;
  std::vector<std::uint64_t> ReadSizes(const base::JsonPlace& place);
  JobArgument ReadArgument(const base::JsonPlace& place, const std::string& name, bool only);
  JobArgument ReadBufferArgument(const base::JsonPlace& place, const std::string& name, bool only);
  void SetOffset(const base::JsonPlace& place, JobArgument* argument);
  JobArgument ReadScalar(const base::JsonPlace& place);
  // job_image.cc
  void ReadNamedImages(const base::JsonPlace& place);
  JobArgument ReadImageArgument(const base::JsonPlace& place, const std::string& name, bool only);
  JobArgument ReadImageOfBuffer(const base::JsonPlace& place);
  JobArgument ReadSampler(const base::JsonPlace& place);
  void ReadLevelOfDetail(const base::JsonPlace& place, float* lod);
  std::size_t ReadImage(const base::JsonPlace& place, const std::string& name);
  ImageRequest ReadImageForm(const base::JsonPlace& place);
  void ReadImageSize(const base::JsonPlace& place, ImageDescriptor* image);
  ImageInitializer ReadImageInitializer(const base::JsonPlace& place);
  void ReadExpectedImage(const base::JsonPlace& place, const std::string& name);
  std::vector<std::string> ReadFiles(const base::JsonPlace& place);
  std::string NameOf(const base::JsonPlace& member, const base::JsonPlace& object, std::string_view what);
  void SetAccessOf(const base::JsonPlace& place, JobBuffer* buffer);
  std::size_t ReadBuffer(const base::JsonPlace& place, const std::string& name);
  Initializer ReadInitializer(const base::JsonPlace& place);
  Initializer ReadRandom(const base::JsonPlace& place);
  void ReadExpectedFinding(const base::JsonPlace& place);
  void ReadExpectations(const base::JsonPlace& place);
  std::string ReadDigest(const base::JsonPlace& place);
  void ReadExpectedBuffer(const base::JsonPlace& place, const std::string& name);
  std::optional<std::size_t> FindBuffer(const base::JsonPlace& place, const std::string& name);
  std::string InFolder(const base::JsonPlace& place);
  std::string FolderOfFirstModule() const;

  base::JsonReader reader_;
  base::JsonPlace root_;
  std::filesystem::path folder_;
  Job job_;
  std::string value_type_;  // of the argument that is read: JobLaunch::value_types
  std::unordered_map<std::string, std::size_t> buffers_;  // and images; by name, the first of each
};

}  // namespace assay::interp
