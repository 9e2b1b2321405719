#include "numerics/matrix/multiply.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/parallel_chunks.h"
#include "numerics/matrix/models_data.h"
#include "numerics/matrix/plain.h"
#include "numerics/matrix/tile.h"

namespace assay::numerics::matrix {
namespace {

constexpr std::string_view kPlain[] = {"exact", "ieee-sequential", "ieee-tree"};
constexpr std::size_t kRowsAtOnce = 4;

// a by rows and b by columns, filled up with zeros.
struct Operands {
  Operands(const Model& model, const Shape& shape, const std::uint32_t* a, const std::uint32_t* b)
      : length(Padded(model, shape.k)),
        rows(model, shape.m, length),
        columns(model, shape.n, length) {
    for (std::size_t i = 0; i < shape.m; ++i) {
      for (std::size_t l = 0; l < shape.k; ++l) rows.Set(i, l, a[i * shape.k + l]);
    }
    for (std::size_t l = 0; l < shape.k; ++l) {
      for (std::size_t j = 0; j < shape.n; ++j) columns.Set(j, l, b[l * shape.n + j]);
    }
  }
  static std::size_t Padded(const Model& model, std::size_t k) {
    if (model.arithmetic != Arithmetic::kFused) return k;
    const auto step = static_cast<std::size_t>(model.k);
    return (k + step - 1) / step * step;
  }
  std::size_t length;
  Lines rows, columns;
};

template <typename Element>
void ForElements(const Shape& shape, int threads, const Element& element) {
  base::ParallelChunks(threads, shape.m, kRowsAtOnce, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t j = 0; j < shape.n; ++j) {
      for (std::size_t i = begin; i < end; ++i) element(i, j);
    }
  });
}

Model PlainModel(Arithmetic arithmetic, std::string_view input, std::string_view accumulator) {
  Model model;
  model.name = fmt::format("{}-{}", input, accumulator);
  model.input = input;
  model.accumulator = accumulator;
  model.m = model.n = model.k = 1;
  model.arithmetic = IntegerBits(input) != 0 ? Arithmetic::kInteger : arithmetic;
  const small_float::Format* const format = small_float::FormatOf(accumulator);
  model.nan = format == nullptr ? 0 : static_cast<std::uint32_t>(format->nan());
  return model;
}

}  // namespace

void Multiply(const Model& model, const Shape& shape, const std::uint32_t* a,
              const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d, int threads) {
  const Operands operands(model, shape, a, b);
  const Dot dot(model);
  ForElements(shape, threads, [&](std::size_t i, std::size_t j) {
    d[i * shape.n + j] =
        dot(operands.rows.at(i), operands.columns.at(j), operands.length, c[i * shape.n + j]);
  });
}

void MultiplyErrors(const Model& model, const Shape& shape, const std::uint32_t* a,
                    const std::uint32_t* b, const std::uint32_t* c, const std::uint32_t* d,
                    double* errors, int threads) {
  const Model exact = PlainModel(Arithmetic::kExact, model.input, model.accumulator);
  const Operands operands(exact, shape, a, b);
  ForElements(shape, threads, [&](std::size_t i, std::size_t j) {
    const std::size_t at = i * shape.n + j;
    errors[at] = ExactError(exact, operands.rows.at(i), operands.columns.at(j), operands.length,
                            c[at], d[at]);
  });
}

std::vector<std::string_view> DeviceModels() {
  std::vector<std::string_view> names;
  for (const ModelData& data : kModelData) {
    if (!data.name.empty()) names.push_back(data.name);
  }
  return names;
}

std::vector<std::string_view> ModelNames() {
  std::vector<std::string_view> names(std::begin(kPlain), std::end(kPlain));
  for (const std::string_view name : DeviceModels()) names.push_back(name);
  return names;
}

Expected<Model> FindModel(std::string_view name, std::string_view text, std::string_view input,
                          std::string_view accumulator) {
  const auto plain = std::find(std::begin(kPlain), std::end(kPlain), name);
  if (plain != std::end(kPlain)) {
    const auto arithmetic = static_cast<Arithmetic>(
        std::find(std::begin(kArithmeticNames), std::end(kArithmeticNames), name) -
        std::begin(kArithmeticNames));
    Model model = PlainModel(arithmetic, input, accumulator);
    if (auto checked = CheckModel(model, name); !checked) {
      return tl::unexpected<Error>(checked.error());
    }
    return model;
  }
  for (const ModelData& data : kModelData) {
    if (!data.name.empty() && data.name == name) text = data.text;
  }
  if (text.empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("there is no model '{}'; it is one of {}, or a model file (*.json)",
                            name, fmt::join(ModelNames(), ", ")));
  }
  const auto file = ParseModelFile(text, name);
  if (!file) return tl::unexpected<Error>(file.error());
  std::string has;
  for (const Model& model : file->instructions) {
    if (model.input == input && model.accumulator == accumulator) return model;
    has += (has.empty() ? "" : ", ") + model.name;
  }
  return Fail(ErrorKind::kUnsupported,
              fmt::format("{}: has no instruction with {} and an accumulator of {}; it has {}",
                          name, input, accumulator, has));
}

}  // namespace assay::numerics::matrix
