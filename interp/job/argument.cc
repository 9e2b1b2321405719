// One argument as a command line writes it.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "interp/job/argument_forms.h"
#include "interp/job/argument_text.h"
#include "interp/job/buffer_content.h"
#include "interp/job/job.h"
#include "interp/job/pipe.h"
#include "numerics/literal.h"

namespace assay::interp {
std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// "1, 2,3"; nothing at all has no parts.
std::vector<std::string> PartsOf(std::string_view text) {
  if (Trimmed(text).empty()) return {};
  std::vector<std::string> parts = numerics::SplitAtCommas(text);
  for (std::string& part : parts) part = std::string(Trimmed(part));
  return parts;
}

// "name(inside)"; false for anything else.
bool IsCall(std::string_view text, std::string_view name, std::string_view* inside) {
  if (!text.starts_with(name)) return false;
  text.remove_prefix(name.size());
  if (!text.starts_with('(') || !text.ends_with(')')) return false;
  *inside = text.substr(1, text.size() - 2);
  return true;
}

namespace {

Expected<std::uint64_t> ParseUnsigned(std::string_view text) {
  return numerics::ParseLiteral(numerics::ScalarType::kUlong, text);
}

Expected<Initializer> ParseRandom(std::string_view inside) {
  const std::vector<std::string> parts = PartsOf(inside);
  if (parts.size() != 1 && parts.size() != 3) {
    return Fail(ErrorKind::kUsage,
                fmt::format("random({}): write random(SEED) or random(SEED,MIN,MAX)", inside));
  }
  const auto seed = ParseUnsigned(parts[0]);
  if (!seed) return tl::unexpected(seed.error());
  Initializer initializer{.kind = Initializer::Kind::kRandom, .seed = *seed};
  if (parts.size() == 3) initializer.limits = RandomLimits{.min = parts[1], .max = parts[2]};
  return initializer;
}

}  // namespace

Expected<Initializer> ParseInitializer(std::size_t components, bool is_counted,
                                       std::string_view text, std::string_view others) {
  using Kind = Initializer::Kind;
  std::string_view inside;
  if (text == "random") return Initializer{.kind = Kind::kRandom};
  if (text == "uninitialized") return Initializer{.kind = Kind::kUninitialized};
  if (IsCall(text, "random", &inside)) return ParseRandom(inside);
  if (IsCall(text, "file", &inside)) {
    return Initializer{.kind = Kind::kFile, .path = std::string(inside)};
  }
  if (IsCall(text, "range", &inside)) {
    Initializer initializer{.kind = Kind::kRange, .literals = PartsOf(inside)};
    if (initializer.literals.size() == 2) return initializer;
    return Fail(ErrorKind::kUsage, fmt::format("range({}): write range(START,STEP)", inside));
  }
  if (const std::size_t open = text.find('('); open != std::string_view::npos) {
    return Fail(ErrorKind::kUsage,
                fmt::format("there is no '{}(...)'; write range(START,STEP), random(SEED), "
                            "random(SEED,MIN,MAX){} or file(PATH)",
                            Trimmed(text.substr(0, open)), others));
  }
  Initializer initializer{.kind = Kind::kData, .literals = PartsOf(text)};
  const std::size_t given = initializer.literals.size();
  // One number, or one for each component, fills; more are all there are.
  if (is_counted && (given == 1 || given == components)) initializer.kind = Kind::kFill;
  return initializer;
}

Expected<std::string> DataFile(Job* job, std::string_view path) {
  if (job->is_data) {
    if (auto good = job->reads.Check(std::string(path), "the report"); !good) {
      return tl::unexpected(good.error());
    }
  }
  job->data_files.emplace_back(path);
  return std::string(path);
}

const JobBufferUse* EarlierArgument(const Job& job, std::string_view place) {
  const auto number = ParseUnsigned(place);
  const JobLaunch* launch = job.launches.empty() ? nullptr : &job.launches.back();
  return number && launch != nullptr && *number < launch->arguments.size()
             ? std::get_if<JobBufferUse>(&launch->arguments[*number])
             : nullptr;
}

std::string NextArgument(const Job& job) {
  return std::to_string(job.launches.empty() ? 0 : job.launches.back().arguments.size());
}

namespace {

Expected<JobArgument> ParseBuffer(std::string_view type_text, std::string_view init, Job* job) {
  const std::size_t bracket = type_text.find('[');
  const auto type = ParseElementType(type_text.substr(0, bracket));
  if (!type) return tl::unexpected(type.error());
  std::string_view digits = type_text.substr(bracket + 1);
  if (!digits.ends_with(']')) return Fail(ErrorKind::kUsage, "the ']' of the count is missing");
  digits.remove_suffix(1);
  std::optional<std::uint64_t> count;
  if (!digits.empty()) {
    const auto parsed = ParseUnsigned(digits);
    if (!parsed) return tl::unexpected(parsed.error());
    count = *parsed;
  }
  const auto initializer =
      ParseInitializer(static_cast<std::size_t>(type->components), count.has_value(), init, "");
  if (!initializer) return tl::unexpected(initializer.error());
  if (initializer->kind == Initializer::Kind::kFile) {
    if (auto file = DataFile(job, initializer->path); !file) return tl::unexpected(file.error());
  }
  const auto buffer = AddBuffer(job, NextArgument(*job), *type, count, *initializer);
  if (!buffer) return tl::unexpected(buffer.error());
  return JobBufferUse{*buffer};
}

// Words before a buffer: "read_only int[4]=0", "offset(4) int[4]=0".
struct BufferWords {
  std::string_view access;
  std::optional<std::uint64_t> offset;
};
Expected<BufferWords> TakeWords(std::string_view* text) {
  BufferWords words;
  JobBuffer ignored;
  for (;;) {
    const std::size_t space = text->find(' ');
    if (space == std::string_view::npos || space > text->find('=')) return words;
    const std::string_view word = text->substr(0, space);
    std::string_view inside;
    if (IsCall(word, "offset", &inside)) {
      const auto offset = ParseUnsigned(inside);
      if (!offset) return tl::unexpected(offset.error());
      words.offset = *offset;
    } else if (SetAccess(word, &ignored)) {
      words.access = word;
    } else {
      return words;
    }
    *text = Trimmed(text->substr(space));
  }
}

Expected<JobArgument> ParseAny(std::string_view text, Job* job);

Expected<JobArgument> ParseWithWords(std::string_view text, Job* job) {
  const auto words = TakeWords(&text);
  if (!words) return tl::unexpected(words.error());
  auto argument = ParseAny(text, job);
  if (!argument || (words->access.empty() && !words->offset)) return argument;
  auto* use = std::get_if<JobBufferUse>(&*argument);
  if (use == nullptr) {
    return Fail(ErrorKind::kUsage,
                "only a buffer has an access and an offset, and an image an access");
  }
  JobBuffer& buffer = job->buffers[use->buffer];
  if (buffer.image && words->offset) {
    return Fail(ErrorKind::kUsage, "only a buffer has an offset, no image");
  }
  if (buffer.max_packets != 0) {
    return Fail(ErrorKind::kUsage, "a pipe has no access and no offset");
  }
  if (!words->access.empty()) SetAccess(words->access, &buffer);
  use->offset = words->offset.value_or(0);
  if (use->offset > buffer.bytes.size()) {
    return Fail(ErrorKind::kUsage, fmt::format("an offset of {} bytes into a buffer of {}",
                                               use->offset, buffer.bytes.size()));
  }
  return argument;
}

Expected<JobArgument> ParseAny(std::string_view text, Job* job) {
  std::string_view inside;
  if (text == "null") return JobNull{};
  if (IsCall(text, "local", &inside)) {
    const auto bytes = ParseUnsigned(inside);
    if (!bytes) return tl::unexpected(bytes.error());
    return LocalArgument{*bytes};
  }
  if (text == "queue") return QueueArgument{1};
  if (IsCall(text, "queue", &inside)) {
    const auto queue = ParseUnsigned(inside);
    if (!queue) return tl::unexpected(queue.error());
    if (*queue > 1023) return Fail(ErrorKind::kUsage, "queues are numbered from 0 to 1023");
    return QueueArgument{static_cast<std::uint32_t>(*queue)};
  }
  if (IsCall(text, "buffer", &inside)) {
    const JobBufferUse* use = EarlierArgument(*job, inside);
    if (use == nullptr || job->buffers[use->buffer].Kind() != "buffer") {
      return Fail(ErrorKind::kUsage, fmt::format("argument {} is no buffer before it", inside));
    }
    return JobBufferUse{use->buffer};
  }
  if (IsCall(text, "bytes", &inside)) {
    auto content = HexContent(inside);
    if (!content) return tl::unexpected(content.error());
    return BytesArgument{std::move(*content)};
  }
  const std::size_t equals = text.find('=');
  const std::string_view type_text = Trimmed(text.substr(0, equals));
  if (IsCall(type_text, "pipe", &inside)) {
    const auto pipe = ParsePipe(
        inside, equals == std::string_view::npos ? "" : Trimmed(text.substr(equals + 1)), job);
    if (!pipe) return tl::unexpected(pipe.error());
    return JobBufferUse{*pipe};
  }
  if (type_text.starts_with("image")) return ParseImageArgument(text, job);
  if (type_text.starts_with("sampler")) return ParseSamplerArgument(text);
  if (equals == std::string_view::npos) {
    return Fail(ErrorKind::kUsage, fmt::format("it has to look like one of\n{}", kArgumentForms));
  }
  const std::string_view value = Trimmed(text.substr(equals + 1));
  if (type_text.find('[') != std::string_view::npos) return ParseBuffer(type_text, value, job);
  const auto type = ParseElementType(type_text);
  if (!type) return tl::unexpected(type.error());
  auto content = ElementContent(*type, PartsOf(value));
  if (!content) return tl::unexpected(content.error());
  return BytesArgument{std::move(*content)};
}

}  // namespace

Expected<JobArgument> ParseArgument(std::string_view text, Job* job) {
  auto argument = ParseWithWords(Trimmed(text), job);
  if (argument) return argument;
  return Fail(argument.error().kind,
              fmt::format("argument '{}': {}", text, argument.error().message));
}

}  // namespace assay::interp
