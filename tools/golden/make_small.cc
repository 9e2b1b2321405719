#include "tools/golden/make_small.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "assay_version.h"
#include "base/file.h"
#include "oracle/golden/conversion.h"
#include "oracle/golden/matrix_products.h"
#include "tools/golden/golden.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/output.h"

namespace assay::tools {
namespace {

namespace small = numerics::small_float;

constexpr std::size_t kSmokeProducts = 8, kStandardProducts = 32;

std::string ToolName() { return std::string("assay ") + ASSAY_VERSION; }

bool IsProduct(const std::string& name) { return oracle::MatrixProductOf(name).has_value(); }

// A conversion that OpenCL C does not have.
bool IsSmallConversion(const std::string& name, const std::vector<std::string>& formats) {
  return std::any_of(formats.begin(), formats.end(), [&](const std::string& format) {
    const auto conversion = small::NamedConversionOf(name, format);
    return conversion && !conversion->IsOpenClC();
  });
}

std::vector<std::string> FormatsOf(const SmallGolden& golden) {
  if (!golden.formats.empty()) return golden.formats;
  return {"half", "bfloat16", "float", "double"};
}

oracle::Level LevelOf(const std::string& name) {
  if (name == "exhaustive") return oracle::Level::kExhaustive;
  return name == "smoke" ? oracle::Level::kSmoke : oracle::Level::kStandard;
}

struct NewFile {
  std::string name, content;
  std::size_t vectors = 0;
};

std::string MakeCommand(const std::string& rest, const SmallGolden& golden) {
  std::string command =
      fmt::format("assay golden make {} --level {} --seed {}", rest, golden.level, golden.seed);
  if (golden.samples != 0) command += fmt::format(" --samples {}", golden.samples);
  return command;
}

Expected<NewFile> ProductFile(const std::string& name, const SmallGolden& golden) {
  const auto model = *oracle::MatrixProductOf(name);
  if (!model) return tl::unexpected<Error>(model.error());
  const std::size_t usual = golden.level == "smoke" ? kSmokeProducts : kStandardProducts;
  const std::size_t count = golden.samples != 0 ? static_cast<std::size_t>(golden.samples) : usual;
  const std::string own = oracle::MatrixProductName(*model);
  return NewFile{
      own + ".json",
      oracle::EncodeGoldenMatrix(*model, golden.seed, count, ToolName(), MakeCommand(own, golden)),
      count};
}

Expected<NewFile> ConversionFile(const small::NamedConversion& conversion,
                                 const SmallGolden& golden) {
  const auto vectors = oracle::ChooseConversionInputs(conversion, LevelOf(golden.level),
                                                      golden.samples, golden.seed);
  if (!vectors) return tl::unexpected<Error>(vectors.error());
  const std::string rest = fmt::format("{} --formats {}", conversion.Name(), conversion.from->name);
  return NewFile{
      oracle::ConversionFileName(conversion),
      oracle::EncodeGoldenConversion(conversion, *vectors, ToolName(), MakeCommand(rest, golden)),
      vectors->size()};
}

// All files of a name, made in memory: one for each source and rounding.
Expected<std::vector<NewFile>> FilesOfName(const std::string& name, const SmallGolden& golden) {
  std::vector<NewFile> files;
  const auto add = [&](Expected<NewFile> file) -> Expected<void> {
    if (!file) return tl::unexpected<Error>(file.error());
    files.push_back(*std::move(file));
    return {};
  };
  if (IsProduct(name)) {
    if (auto added = add(ProductFile(name, golden)); !added) {
      return tl::unexpected<Error>(added.error());
    }
    return files;
  }
  std::vector<std::string> full = {name};
  if (!small::NamesRounding(name)) {
    full.clear();
    for (const std::string& rounding : golden.roundings) full.push_back(name + "_" + rounding);
  }
  for (const std::string& format : FormatsOf(golden)) {
    for (const std::string& one : full) {
      const auto conversion = small::NamedConversionOf(one, format);
      if (!conversion) {
        return Fail(ErrorKind::kUsage,
                    fmt::format("'{}' of '{}' is no conversion; formats are those of `assay eval`",
                                one, format));
      }
      if (conversion->from == conversion->to) continue;
      if (auto added = add(ConversionFile(*conversion, golden)); !added) {
        return tl::unexpected<Error>(added.error());
      }
    }
  }
  return files;
}

}  // namespace

Expected<bool> AsksForSmall(const SmallGolden& golden) {
  const auto is_small = [&](const std::string& name) {
    return IsProduct(name) || IsSmallConversion(name, FormatsOf(golden));
  };
  const auto count = std::count_if(golden.names.begin(), golden.names.end(), is_small);
  if (count == 0) return false;
  if (count != std::ssize(golden.names)) {
    return Fail(ErrorKind::kUsage,
                "conversions of small formats and matrix products are made in runs of their own, "
                "without functions of OpenCL C");
  }
  if (golden.encodings != std::vector<std::string>{"json"}) {
    return Fail(ErrorKind::kUsage,
                "--as: vectors of small formats and of matrix products are JSON only");
  }
  if (golden.has_inputs) {
    return Fail(ErrorKind::kUsage,
                "--inputs and --worst-from do not go with small formats and matrix products");
  }
  return true;
}

int MakeSmall(const SmallGolden& golden) {
  std::size_t vectors = 0, count = 0;
  for (const std::string& name : golden.names) {
    const auto files = FilesOfName(name, golden);
    if (!files) return ReportError(files.error());
    for (const NewFile& file : *files) {
      const std::string path = (std::filesystem::path(golden.out) / file.name).string();
      if (auto written = base::WriteFileAtomically(path, file.content); !written) {
        return ReportError(written.error());
      }
      Print(fmt::format("{:<44} {:>8} vectors {:>10} bytes\n", file.name, file.vectors,
                        file.content.size()));
      vectors += file.vectors;
      ++count;
    }
  }
  Print(fmt::format("{} vectors in {} file{} in '{}'\n", vectors, count, count == 1 ? "" : "s",
                    golden.out));
  return kExitConforming;
}

}  // namespace assay::tools
