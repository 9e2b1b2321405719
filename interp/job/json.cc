// A job as a file writes it (docs/cli.md, "Jobs").
#include <fmt/format.h>

#include <utility>

#include "base/file.h"
#include "frontend/loader.h"
#include "interp/job/job_reader.h"
#include "interp/job/pipe.h"
#include "interp/rules/rule.h"
#include "numerics/near_names.h"

namespace assay::interp {
namespace {

constexpr std::uint64_t kMaxLaunches = 1'000'000;

}  // namespace

// The path that a string names, which has to be one that a job may read.
std::string JobReader::InFolder(const numerics::JsonPlace& place) {
  std::string path = (folder_ / reader_.String(place)).string();
  if (reader_.Failed()) return path;
  if (auto good = job_.reads.Check(path, "the job"); !good) {
    reader_.Wrong(place, good.error().message);
  }
  return path;
}

// Where a relative -I begins.
std::string JobReader::FolderOfFirstModule() const {
  return job_.modules.empty() ? folder_.string()
                              : std::filesystem::path(job_.modules[0]).parent_path().string();
}

void JobReader::ReadJob() {
  if (!reader_.IsObject(
          root_, {"module", "modules", "build_options", "compiler", "kernel", "global", "local",
                  "offset", "sub_group_size", "matrix", "forward_progress", "spec_constants",
                  "args", "buffers", "images", "launches", "expect"})) {
    return;
  }
  ReadModules();
  ReadCompiler();
  if (const auto place = reader_.Find(root_, "spec_constants")) ReadSpecConstants(*place);
  if (const auto place = reader_.Find(root_, "sub_group_size")) ReadSubgroupSize(*place);
  if (const auto place = reader_.Find(root_, "matrix")) ReadMatrix(*place);
  if (const auto place = reader_.Find(root_, "forward_progress")) ReadForwardProgress(*place);
  if (const auto place = reader_.Find(root_, "buffers")) ReadNamedBuffers(*place);
  if (const auto place = reader_.Find(root_, "images")) ReadNamedImages(*place);
  ReadLaunches();
  if (const auto place = reader_.Find(root_, "expect")) ReadExpectations(*place);
}

void JobReader::ReadModules() {
  const auto one = reader_.Find(root_, "module");
  const auto several = reader_.Find(root_, "modules");
  if (one.has_value() == several.has_value()) {
    return reader_.Wrong(root_, "exactly one of 'module' and 'modules' is wanted");
  }
  if (one) {
    job_.modules.push_back(InFolder(*one));
    return;
  }
  for (const numerics::JsonPlace& module : reader_.Items(*several)) {
    job_.modules.push_back(InFolder(module));
  }
  if (job_.modules.empty()) reader_.Wrong(*several, "no module is named");
}

void JobReader::ReadCompiler() {
  if (const auto place = reader_.Find(root_, "build_options")) {
    std::string& text = job_.load.compile.build_options;
    text = reader_.String(*place);
    // Here already, since they may be given to a driver as well.
    const auto good = frontend::ReadBuildOptions(text, frontend::OptionsFrom::kData,
                                                 FolderOfFirstModule(), job_.reads);
    if (!good) return reader_.Wrong(*place, good.error().message);
  }
  if (const auto place = reader_.Find(root_, "compiler")) {
    job_.load.compile.compiler =
        reader_.Value(*place, frontend::ParseCompiler(reader_.String(*place)));
  }
}

void JobReader::ReadSubgroupSize(const numerics::JsonPlace& place) {
  const std::uint64_t size = reader_.Unsigned(place);
  if (reader_.Failed()) return;
  if (size == 0 || size > kMaxSubgroupSize) {
    return reader_.Wrong(place, fmt::format("{} is no size of a sub-group; there are 1 to {}", size,
                                            kMaxSubgroupSize));
  }
  job_.sub_group_size = static_cast<std::uint32_t>(size);
}

void JobReader::ReadMatrix(const numerics::JsonPlace& place) {
  std::string name = reader_.String(place);
  if (name.ends_with(".json")) name = InFolder(place);
  if (reader_.Failed()) return;
  if (auto good = SetMatrix(name, &job_); !good) reader_.Wrong(place, good.error().message);
}

void JobReader::ReadForwardProgress(const numerics::JsonPlace& place) {
  const auto progress = ForwardProgressFromName(reader_.String(place));
  if (!progress || *progress == ForwardProgress::kUnstated) {
    return reader_.Wrong(place, "none, sub-group, work-item or work-group is wanted");
  }
  job_.forward_progress = *progress;
}

void JobReader::ReadSpecConstants(const numerics::JsonPlace& place) {
  for (const numerics::JsonPlace& member : reader_.Members(place)) {
    const std::string& key =
        place.tree->keys[static_cast<std::size_t>(member.tree - place.tree->items.data())];
    std::string value;
    if (member.tree->kind == base::JsonTree::Kind::kObject) {
      if (!reader_.IsObject(member, {"type", "value"})) return;
      const auto type = reader_.Find(member, "type"), number = reader_.Find(member, "value");
      if (!type || !number) return reader_.Wrong(member, "'type' and 'value' are wanted");
      value = fmt::format("{}:{}", reader_.String(*type), reader_.Literal(*number));
    } else {
      value = reader_.Literal(member);
    }
    if (reader_.Failed()) return;
    if (auto added = AddSpecConstant(key, value, &job_.load.specialization); !added) {
      return reader_.Wrong(member, added.error().message);
    }
  }
}

// The name of a buffer or image that is described by a member.
std::string JobReader::NameOf(const numerics::JsonPlace& member, const numerics::JsonPlace& object,
                              std::string_view what) {
  const std::string& name =
      object.tree->keys[static_cast<std::size_t>(member.tree - object.tree->items.data())];
  if (name.find_first_not_of("0123456789") == std::string::npos) {
    reader_.Wrong(member, fmt::format("{} name must not be a number, as arguments are", what));
  } else if (buffers_.contains(name)) {
    reader_.Wrong(member, "a buffer has this name, too");
  }
  return name;
}

void JobReader::ReadNamedBuffers(const numerics::JsonPlace& place) {
  for (const numerics::JsonPlace& member : reader_.Members(place)) {
    const std::string name = NameOf(member, place, "a buffer's");
    if (const auto offset = reader_.Find(member, "offset")) {
      return reader_.Wrong(*offset, "an offset stands where the buffer is given as an argument");
    }
    ReadBuffer(member, name);
  }
}

void JobReader::ReadLaunches() {
  const auto launches = reader_.Find(root_, "launches");
  if (!launches) return ReadLaunch(root_, true);
  if (const auto place = reader_.Find(root_, "args")) {
    return reader_.Wrong(*place, "a job with 'launches' has its arguments there");
  }
  for (const numerics::JsonPlace& place : reader_.Items(*launches)) {
    if (!reader_.IsObject(place, {"kernel", "global", "local", "offset", "args", "repeat"})) return;
    ReadLaunch(place, false);
  }
  if (job_.launches.empty()) reader_.Wrong(*launches, "there is no launch");
}

// A key that a launch does not have is read from the object with the list of launches.
std::optional<numerics::JsonPlace> JobReader::FindOrDefault(const numerics::JsonPlace& launch,
                                                            std::string_view key) const {
  if (const auto place = reader_.Find(launch, key)) return place;
  return reader_.Find(root_, key);
}

void JobReader::ReadLaunch(const numerics::JsonPlace& place, bool only) {
  JobLaunch launch;
  if (const auto kernel = FindOrDefault(place, "kernel")) launch.kernel = reader_.String(*kernel);
  ReadRange(place, &launch.range);
  if (const auto arguments = reader_.Find(place, "args")) {
    for (const numerics::JsonPlace& argument : reader_.Items(*arguments)) {
      value_type_.clear();
      launch.arguments.push_back(
          ReadArgument(argument, std::to_string(launch.arguments.size()), only));
      launch.value_types.push_back(value_type_);
      if (reader_.Failed()) return;
    }
  }
  std::uint64_t repeat = 1;
  if (const auto times = only ? std::nullopt : reader_.Find(place, "repeat")) {
    repeat = reader_.Unsigned(*times, kMaxLaunches);
  }
  if (job_.launches.size() + repeat > kMaxLaunches) {
    return reader_.Wrong(place, fmt::format("a job has at most {} launches", kMaxLaunches));
  }
  std::uint64_t bytes = sizeof launch + launch.arguments.size() * sizeof(JobArgument);
  for (const JobArgument& argument : launch.arguments) {
    if (const auto* held = std::get_if<BytesArgument>(&argument)) bytes += held->bytes.size();
  }
  const auto fits = job_.load.budget.Fits(repeat * bytes, "the list of launches");
  if (!fits) return reader_.Wrong(place, fits.error().message, fits.error().kind);
  job_.launches.insert(job_.launches.end(), repeat, launch);
}

std::vector<std::uint64_t> JobReader::ReadSizes(const numerics::JsonPlace& place) {
  std::vector<std::uint64_t> sizes;
  if (place.tree->kind == base::JsonTree::Kind::kNumber) return {reader_.Unsigned(place)};
  if (place.tree->kind != base::JsonTree::Kind::kArray) {
    const std::string key = place.pointer.substr(place.pointer.rfind('/') + 1);
    reader_.WrongKind(place, fmt::format("'{}' wants a whole number (64), or an array of one to "
                                         "three of them ([64, 2])",
                                         key));
    return {};
  }
  for (const numerics::JsonPlace& item : reader_.Items(place))
    sizes.push_back(reader_.Unsigned(item));
  if (sizes.empty() || sizes.size() > 3) reader_.Wrong(place, "one to three sizes are wanted");
  return sizes;
}

void JobReader::ReadRange(const numerics::JsonPlace& launch, NdRange* range) {
  const auto global = FindOrDefault(launch, "global");
  if (!global) return reader_.Wrong(launch, "'global', the index space, is missing");
  const std::vector<std::uint64_t> sizes = ReadSizes(*global);
  std::vector<std::uint64_t> local, offset;
  const auto local_place = FindOrDefault(launch, "local");
  const auto offset_place = FindOrDefault(launch, "offset");
  if (local_place && local_place->tree->kind != base::JsonTree::Kind::kNull) {
    local = ReadSizes(*local_place);
  }
  if (offset_place) offset = ReadSizes(*offset_place);
  if (reader_.Failed()) return;
  *range = reader_.Value(launch, MakeRange(sizes, local, offset));
}

JobArgument JobReader::ReadArgument(const numerics::JsonPlace& place, const std::string& name,
                                    bool only) {
  // A buffer that is named may have an offset beside it; one that is given here has it inside.
  const auto offset =
      place.tree->kind == base::JsonTree::Kind::kObject && place.tree->keys.size() == 2
          ? reader_.Find(place, "offset")
          : std::nullopt;
  if (offset) {
    if (!reader_.IsObject(place, {"buffer", "offset"})) return JobNull{};
    const auto named = reader_.Find(place, "buffer");
    if (!named) return JobNull{};
    JobArgument argument = ReadBufferArgument(*named, name, only);
    SetOffset(*offset, &argument);
    return argument;
  }
  const std::string kind = reader_.OnlyKey(
      place, {"buffer", "scalar", "local", "null", "bytes", "image", "sampler", "pipe", "queue"});
  if (reader_.Failed()) return JobNull{};
  const numerics::JsonPlace value = *reader_.Find(place, kind);
  if (kind == "buffer") return ReadBufferArgument(value, name, only);
  if (kind == "pipe") return JobBufferUse{ReadPipe(&reader_, value, name, &job_, &buffers_)};
  if (kind == "scalar") return ReadScalar(value);
  if (kind == "image") return ReadImageArgument(value, name, only);
  if (kind == "sampler") return ReadSampler(value);
  if (kind == "local") return LocalArgument{reader_.Unsigned(value)};
  if (kind == "queue") {
    return QueueArgument{static_cast<std::uint32_t>(reader_.Unsigned(value, 1023))};
  }
  if (kind == "bytes")
    return BytesArgument{reader_.Value(value, HexContent(reader_.String(value)))};
  if (value.tree->text != "true") reader_.Wrong(value, "a null pointer is written as true");
  return JobNull{};
}

JobArgument JobReader::ReadBufferArgument(const numerics::JsonPlace& place, const std::string& name,
                                          bool only) {
  if (place.tree->kind == base::JsonTree::Kind::kString) {
    const auto found = FindBuffer(place, place.tree->text);
    if (found && job_.buffers[*found].image) {
      reader_.Wrong(place, fmt::format("'{}' is an image: write {{\"image\": \"{}\"}}",
                                       place.tree->text, place.tree->text));
    } else if (found && job_.buffers[*found].max_packets != 0) {
      reader_.Wrong(place, "it is a pipe: write {\"pipe\": ...}");
    }
    return JobBufferUse{found.value_or(0)};
  }
  if (!only) {
    reader_.Wrong(place, "in a job with 'launches' a buffer stands in /buffers and is named here");
    return JobNull{};
  }
  JobArgument argument = JobBufferUse{ReadBuffer(place, name)};
  if (reader_.Failed()) return argument;
  if (const auto offset = reader_.Find(place, "offset")) SetOffset(*offset, &argument);
  return argument;
}

void JobReader::SetOffset(const numerics::JsonPlace& place, JobArgument* argument) {
  auto* use = std::get_if<JobBufferUse>(argument);
  if (reader_.Failed() || use == nullptr) return;
  use->offset = reader_.Unsigned(place, job_.buffers[use->buffer].bytes.size());
}

JobArgument JobReader::ReadScalar(const numerics::JsonPlace& place) {
  if (!reader_.IsObject(place, {"type", "value"})) return JobNull{};
  const auto type_place = reader_.Find(place, "type"), value_place = reader_.Find(place, "value");
  if (!type_place || !value_place) {
    reader_.Wrong(place, "'type' and 'value' are wanted");
    return JobNull{};
  }
  const ElementType type =
      reader_.Value(*type_place, ParseElementType(reader_.String(*type_place)));
  const std::vector<std::string> literals = reader_.Literals(*value_place);
  if (reader_.Failed()) return JobNull{};
  value_type_ = type.name;
  return BytesArgument{reader_.Value(*value_place, ElementContent(type, literals))};
}

std::size_t JobReader::ReadBuffer(const numerics::JsonPlace& place, const std::string& name) {
  if (!reader_.IsObject(place, {"type", "count", "init", "access", "offset"})) return 0;
  const auto type_place = reader_.Find(place, "type"), init_place = reader_.Find(place, "init");
  if (!type_place || !init_place) {
    reader_.Wrong(place, type_place ? "'init' is missing: fill, range, data, file, random or "
                                      "uninitialized"
                                    : "'type' is missing");
    return 0;
  }
  const ElementType type =
      reader_.Value(*type_place, ParseElementType(reader_.String(*type_place)));
  std::optional<std::uint64_t> count;
  const auto count_place = reader_.Find(place, "count");
  if (count_place) count = reader_.Unsigned(*count_place);
  const Initializer initializer = ReadInitializer(*init_place);
  if (reader_.Failed()) return 0;
  const bool too_many = count && *count > job_.max_bytes / type.bytes;
  const std::size_t buffer = reader_.Value(too_many ? *count_place : *init_place,
                                           AddBuffer(&job_, name, type, count, initializer));
  if (reader_.Failed()) return 0;
  buffers_.try_emplace(name, buffer);
  SetAccessOf(place, &job_.buffers[buffer]);
  return buffer;
}

void JobReader::SetAccessOf(const numerics::JsonPlace& place, JobBuffer* buffer) {
  const auto access = reader_.Find(place, "access");
  if (access && !SetAccess(reader_.String(*access), buffer)) {
    reader_.Wrong(*access, "it is read_only, write_only or read_write");
  }
}

Initializer JobReader::ReadInitializer(const numerics::JsonPlace& place) {
  using Kind = Initializer::Kind;
  Initializer initializer;
  if (place.tree->kind == base::JsonTree::Kind::kString && place.tree->text == "uninitialized") {
    return initializer;
  }
  const std::string kind =
      reader_.OnlyKey(place, {"fill", "range", "data", "file", "random", "uninitialized"});
  if (reader_.Failed()) return initializer;
  const numerics::JsonPlace value = *reader_.Find(place, kind);
  if (kind == "random") return ReadRandom(value);
  if (kind == "file") {
    initializer = {.kind = Kind::kFile, .path = InFolder(value)};
    if (!reader_.Failed()) job_.data_files.push_back(initializer.path);
    return initializer;
  }
  if (kind == "uninitialized") {
    if (value.tree->text != "true") reader_.Wrong(value, "it is written as true");
    return initializer;
  }
  initializer.kind = kind == "fill" ? Kind::kFill : kind == "range" ? Kind::kRange : Kind::kData;
  if (kind == "data" && value.tree->kind != base::JsonTree::Kind::kArray) {
    reader_.Wrong(value, "an array of numbers is wanted");
  }
  initializer.literals = reader_.Literals(value);
  if (kind == "range" && initializer.literals.size() != 2) {
    reader_.Wrong(value, "two numbers are wanted: the first, and the step to the next");
  }
  return initializer;
}

Initializer JobReader::ReadRandom(const numerics::JsonPlace& place) {
  Initializer initializer{.kind = Initializer::Kind::kRandom};
  if (!reader_.IsObject(place, {"seed", "min", "max"})) return initializer;
  const auto min = reader_.Find(place, "min"), max = reader_.Find(place, "max");
  const auto seed = reader_.Find(place, "seed");
  if (!seed || min.has_value() != max.has_value()) {
    reader_.Wrong(place, "'seed' is wanted, and both or none of 'min' and 'max'");
    return initializer;
  }
  initializer.seed = reader_.Unsigned(*seed);
  if (min) initializer.limits = RandomLimits{reader_.Literal(*min), reader_.Literal(*max)};
  return initializer;
}

std::optional<std::size_t> JobReader::FindBuffer(const numerics::JsonPlace& place,
                                                 const std::string& name) {
  if (const auto found = buffers_.find(name); found != buffers_.end()) return found->second;
  std::vector<std::string> names;
  for (const JobBuffer& buffer : job_.buffers) names.push_back(buffer.name);
  const std::string near = numerics::NearNames(name, names);
  reader_.Wrong(place, fmt::format("there is no buffer '{}'{}", name,
                                   near.empty() ? "" : fmt::format(": did you mean {}?", near)));
  return std::nullopt;
}

// A rule that there is not would never be found, whatever the kernel does.
void JobReader::ReadExpectedFinding(const numerics::JsonPlace& place) {
  const std::string& name = place.tree->text;
  if (place.tree->kind != base::JsonTree::Kind::kString) return;
  if (const RuleRow* row = FindRule(name)) {
    job_.expected_findings->push_back(row->rule);
    return;
  }
  std::vector<std::string> names;
  for (const RuleRow& rule : Rules()) names.emplace_back(rule.id);
  const std::string near = numerics::NearNames(name, names);
  reader_.Wrong(place,
                near.empty()
                    ? fmt::format("unknown rule '{}'; `assay explain --list` has them all", name)
                    : fmt::format("unknown rule '{}': did you mean {}?", name, near));
}

void JobReader::ReadExpectations(const numerics::JsonPlace& place) {
  if (!reader_.IsObject(place, {"findings", "buffers", "images", "output"})) return;
  if (const auto findings = reader_.Find(place, "findings")) {
    (void)reader_.Strings(*findings);  // says what is no string
    job_.expected_findings.emplace();
    for (const numerics::JsonPlace& item : reader_.Items(*findings)) ReadExpectedFinding(item);
  }
  if (const auto output = reader_.Find(place, "output")) {
    job_.expected_output = reader_.String(*output);
  }
  const auto read_all = [&](std::string_view key, auto read) {
    const auto object = reader_.Find(place, key);
    if (!object) return;
    for (const numerics::JsonPlace& member : reader_.Members(*object)) {
      const auto number = static_cast<std::size_t>(member.tree - object->tree->items.data());
      (this->*read)(member, object->tree->keys[number]);
    }
  };
  read_all("buffers", &JobReader::ReadExpectedBuffer);
  read_all("images", &JobReader::ReadExpectedImage);
}

std::string JobReader::ReadDigest(const numerics::JsonPlace& place) {
  const std::string digest = reader_.String(place);
  const bool digits = digest.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!digits || digest.size() != 64) {
    reader_.Wrong(place, "64 lower-case hexadecimal digits are wanted");
  }
  return digest;
}

void JobReader::ReadExpectedBuffer(const numerics::JsonPlace& place, const std::string& name) {
  const auto buffer = FindBuffer(place, name);
  if (buffer && job_.buffers[*buffer].image) {
    return reader_.Wrong(place, fmt::format("'{}' is an image: what is expected of it stands in "
                                            "/expect/images",
                                            name));
  }
  const std::string kind = reader_.OnlyKey(place, {"sha256", "data", "fill", "range", "file"});
  if (reader_.Failed()) return;
  BufferExpectation expectation{.buffer = *buffer, .sha256 = {}, .bytes = {}};
  if (kind != "sha256") {
    const Initializer initializer = ReadInitializer(place);
    if (reader_.Failed()) return;
    const JobBuffer& held = job_.buffers[*buffer];
    // How much is left in a pipe is for the expectation to say.
    const auto count = held.max_packets != 0 ? std::nullopt : std::optional(held.count);
    expectation.bytes = reader_.Value(
        place, InitialContent(held.type, count, initializer, job_.max_bytes, job_.load.budget));
  } else {
    expectation.sha256 = ReadDigest(*reader_.Find(place, kind));
  }
  job_.expected_buffers.push_back(std::move(expectation));
}

Expected<Job> ParseJob(std::string_view json, const std::string& path, std::uint64_t max_bytes,
                       const base::Budget& budget, base::ReadScope reads) {
  const base::Doing doing(budget, fmt::format("reading {}", path));
  const Expected<base::JsonTree> tree = base::ParseJsonTree(json, budget);
  if (!tree) {
    const bool is_wrong = tree.error().kind == ErrorKind::kUsage;
    return Fail(tree.error().kind,
                fmt::format("{}: {}{}", path, is_wrong ? "a job is written in JSON: " : "",
                            tree.error().message));
  }
  return JobReader(*tree, path, max_bytes, budget, std::move(reads)).Read();
}

Expected<Job> LoadJob(const std::string& path, std::uint64_t max_bytes, const base::Budget& budget,
                      base::ReadScope reads) {
  const auto text = base::ReadWholeFile(path);
  if (!text) return tl::unexpected(text.error());
  return ParseJob(*text, path, max_bytes, budget, std::move(reads));
}

}  // namespace assay::interp
