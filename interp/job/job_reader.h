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
#include "numerics/json_reader.h"

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
  void ReadSubgroupSize(const numerics::JsonPlace& place);
  void ReadMatrix(const numerics::JsonPlace& place);
  void ReadForwardProgress(const numerics::JsonPlace& place);
  void ReadSpecConstants(const numerics::JsonPlace& place);
  void ReadNamedBuffers(const numerics::JsonPlace& place);
  void ReadLaunches();
  void ReadLaunch(const numerics::JsonPlace& place, bool only);
  void ReadRange(const numerics::JsonPlace& launch, NdRange* range);
  std::optional<numerics::JsonPlace> FindOrDefault(const numerics::JsonPlace& launch,
                                                   std::string_view key) const;
  std::vector<std::uint64_t> ReadSizes(const numerics::JsonPlace& place);
  JobArgument ReadArgument(const numerics::JsonPlace& place, const std::string& name, bool only);
  JobArgument ReadBufferArgument(const numerics::JsonPlace& place, const std::string& name,
                                 bool only);
  void SetOffset(const numerics::JsonPlace& place, JobArgument* argument);
  JobArgument ReadScalar(const numerics::JsonPlace& place);
  // job_image.cc
  void ReadNamedImages(const numerics::JsonPlace& place);
  JobArgument ReadImageArgument(const numerics::JsonPlace& place, const std::string& name,
                                bool only);
  JobArgument ReadImageOfBuffer(const numerics::JsonPlace& place);
  JobArgument ReadSampler(const numerics::JsonPlace& place);
  void ReadLevelOfDetail(const numerics::JsonPlace& place, float* lod);
  std::size_t ReadImage(const numerics::JsonPlace& place, const std::string& name);
  ImageRequest ReadImageForm(const numerics::JsonPlace& place);
  void ReadImageSize(const numerics::JsonPlace& place, ImageDescriptor* image);
  ImageInitializer ReadImageInitializer(const numerics::JsonPlace& place);
  void ReadExpectedImage(const numerics::JsonPlace& place, const std::string& name);
  std::vector<std::string> ReadFiles(const numerics::JsonPlace& place);
  std::string NameOf(const numerics::JsonPlace& member, const numerics::JsonPlace& object,
                     std::string_view what);
  void SetAccessOf(const numerics::JsonPlace& place, JobBuffer* buffer);
  std::size_t ReadBuffer(const numerics::JsonPlace& place, const std::string& name);
  Initializer ReadInitializer(const numerics::JsonPlace& place);
  Initializer ReadRandom(const numerics::JsonPlace& place);
  void ReadExpectedFinding(const numerics::JsonPlace& place);
  void ReadExpectations(const numerics::JsonPlace& place);
  std::string ReadDigest(const numerics::JsonPlace& place);
  void ReadExpectedBuffer(const numerics::JsonPlace& place, const std::string& name);
  std::optional<std::size_t> FindBuffer(const numerics::JsonPlace& place, const std::string& name);
  std::string InFolder(const numerics::JsonPlace& place);
  std::string FolderOfFirstModule() const;

  numerics::JsonReader reader_;
  numerics::JsonPlace root_;
  std::filesystem::path folder_;
  Job job_;
  std::string value_type_;  // of the argument that is read: JobLaunch::value_types
  std::unordered_map<std::string, std::size_t> buffers_;  // and images; by name, the first of each
};

}  // namespace assay::interp
