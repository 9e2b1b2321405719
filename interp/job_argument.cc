// One argument as a command line writes it.
#include <fmt/format.h>

#include <utility>

#include "interp/buffer_content.h"
#include "interp/job.h"
#include "numerics/literal.h"

namespace assay::interp {
namespace {

constexpr std::string_view kForms =
    "'float[4]=0', 'float[1024]=range(0,1)', 'int[]=1,2,3', 'uint[256]=file(data.bin)', "
    "'float[16]=random(SEED,MIN,MAX)', 'uchar[8]=uninitialized', 'float=2.5', 'int4=1,2,3,4', "
    "'local(256)', 'bytes(00ff)' or 'null'";

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

// What stands behind the '=' of a buffer.
Expected<Initializer> ParseInitializer(const ElementType& type, std::optional<std::uint64_t> count,
                                       std::string_view text) {
  using Kind = Initializer::Kind;
  std::string_view inside;
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
  Initializer initializer{.kind = Kind::kData, .literals = PartsOf(text)};
  const std::size_t given = initializer.literals.size();
  const auto components = static_cast<std::uint64_t>(type.components);
  // One number, or one for each component, fills; more are all there are.
  if (count && (given == 1 || given == components)) initializer.kind = Kind::kFill;
  return initializer;
}

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
  const auto initializer = ParseInitializer(*type, count, init);
  if (!initializer) return tl::unexpected(initializer.error());
  const std::size_t place = job->launches.empty() ? 0 : job->launches.back().arguments.size();
  const auto buffer = AddBuffer(job, std::to_string(place), *type, count, *initializer);
  if (!buffer) return tl::unexpected(buffer.error());
  return JobBufferUse{*buffer};
}

Expected<JobArgument> ParseAny(std::string_view text, Job* job) {
  std::string_view inside;
  if (text == "null") return JobNull{};
  if (IsCall(text, "local", &inside)) {
    const auto bytes = ParseUnsigned(inside);
    if (!bytes) return tl::unexpected(bytes.error());
    return LocalArgument{*bytes};
  }
  if (IsCall(text, "bytes", &inside)) {
    auto content = HexContent(inside);
    if (!content) return tl::unexpected(content.error());
    return BytesArgument{std::move(*content)};
  }
  const std::size_t equals = text.find('=');
  const std::string_view type_text = Trimmed(text.substr(0, equals));
  for (std::string_view kind : {"image", "sampler", "pipe", "queue"}) {
    if (type_text.starts_with(kind)) {
      return Fail(ErrorKind::kUnsupported, fmt::format("{} arguments are not there yet", kind));
    }
  }
  if (equals == std::string_view::npos) {
    return Fail(ErrorKind::kUsage, fmt::format("it has to look like {}", kForms));
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
  auto argument = ParseAny(Trimmed(text), job);
  if (argument) return argument;
  return Fail(argument.error().kind,
              fmt::format("argument '{}': {}", text, argument.error().message));
}

}  // namespace assay::interp
