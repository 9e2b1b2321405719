#include "layer/builds.h"

#include <charconv>

#include "base/digest.h"
#include "base/fields.h"
#include "layer/includes.h"

namespace assay::layer {

namespace {

using base::AppendField;

std::string_view AsText(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Takes fields until one is missing or wrong.
class Reader {
 public:
  explicit Reader(std::string_view text) : fields_(text) {}

  std::string_view Text() {
    const auto field = fields_.Field();
    is_good_ = is_good_ && field.has_value();
    return field.value_or(std::string_view());
  }
  // At most `most`: a number that is too large ends a loop, too.
  std::size_t Number(std::size_t most) {
    const std::string_view text = Text();
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    is_good_ = is_good_ && error == std::errc() && end == text.data() + text.size();
    is_good_ = is_good_ && number <= most;
    return is_good_ ? number : 0;
  }
  bool IsGoodAndAtEnd() const { return is_good_ && fields_.AtEnd(); }

 private:
  base::FieldReader fields_;
  bool is_good_ = true;
};

}  // namespace

std::shared_ptr<const Build> Named(Build build) {
  base::Digest digest;
  for (const Module& module : build.modules) digest.AddField(module.bytes);
  for (const auto& [name, text] : build.headers) digest.AddField(name).AddField(text);
  digest.AddField(build.options);
  for (const auto& [id, value] : build.spec_constants) {
    digest.AddField(std::to_string(id)).AddField(AsText(value));
  }
  build.digest = digest.AddField(build.refused).Finish();
  return std::make_shared<const Build>(std::move(build));
}

std::string BuildText(const Build& build) {
  std::string text;
  const auto number = [&](std::size_t value) { AppendField(std::to_string(value), &text); };
  number(build.modules.size());
  for (const Module& module : build.modules) {
    number(module.is_il ? 1 : 0);
    AppendField(module.bytes, &text);
  }
  const Includes includes = TakeIncludes(build);
  number(build.headers.size() + includes.files.size());
  for (const auto* files : {&build.headers, &includes.files}) {
    for (const auto& [name, content] : *files) {
      AppendField(name, &text);
      AppendField(content, &text);
    }
  }
  AppendField(includes.options, &text);
  number(build.spec_constants.size());
  for (const auto& [id, value] : build.spec_constants) {
    number(id);
    AppendField(AsText(value), &text);
  }
  return text;
}

std::optional<Build> ReadBuildText(std::string_view text) {
  constexpr std::size_t kMost = 1U << 20;
  Reader reader(text);
  Build build;
  for (std::size_t left = reader.Number(kMost); left > 0; --left) {
    const bool is_il = reader.Number(1) == 1;
    build.modules.push_back({.bytes = std::string(reader.Text()), .is_il = is_il});
  }
  for (std::size_t left = reader.Number(kMost); left > 0; --left) {
    const std::string_view name = reader.Text();
    build.headers.emplace_back(name, reader.Text());
  }
  build.options = reader.Text();
  for (std::size_t left = reader.Number(kMost); left > 0; --left) {
    const auto id = static_cast<cl_uint>(reader.Number(0xffffffff));
    const std::string_view value = reader.Text();
    const auto* bytes = reinterpret_cast<const std::byte*>(value.data());
    build.spec_constants[id].assign(bytes, bytes + value.size());
  }
  if (!reader.IsGoodAndAtEnd() || build.modules.empty()) return std::nullopt;
  return build;
}

}  // namespace assay::layer
