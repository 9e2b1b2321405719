#include "oracle/golden/matrix_products.h"

#include <fmt/format.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/json_text.h"
#include "numerics/matrix/multiply.h"
#include "numerics/matrix/product_range.h"
#include "numerics/matrix/random_tiles.h"
#include "numerics/matrix/tile.h"
#include "oracle/golden/encoding.h"

namespace assay::oracle {
namespace {

namespace matrix = numerics::matrix;
using Json = nlohmann::ordered_json;
using Elements = std::vector<std::uint32_t>;

constexpr std::string_view kPrefix = "matrix_";
constexpr int kMostRows = 512;

struct Product {
  Elements a, b, c;
};

std::size_t Size(int rows, int columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

std::string HexOf(const std::string& format, std::uint32_t bits) {
  return fmt::format("\"0x{:0{}x}\"", bits, 2 * matrix::ElementBytes(format));
}

std::string ListOf(const std::string& format, const Elements& elements) {
  std::string text;
  for (const std::uint32_t bits : elements) text += (text.empty() ? "" : ",") + HexOf(format, bits);
  return "[" + text + "]";
}

// The models that have the formats, and whose instructions fill k.
std::vector<std::pair<std::string, matrix::Model>> ModelsOf(const matrix::Model& model) {
  std::vector<std::pair<std::string, matrix::Model>> models;
  for (const std::string_view name : matrix::ModelNames()) {
    auto found = matrix::FindModel(name, {}, model.input, model.accumulator);
    if (found && model.k % found->k == 0) models.emplace_back(name, *std::move(found));
  }
  return models;
}

std::string RangeText(const matrix::Model& model, const matrix::ProductRange& range) {
  switch (range.kind) {
    case matrix::ProductRange::Kind::kNan:
      return "\"nan\"";
    case matrix::ProductRange::Kind::kAnything:
      return "\"any\"";
    case matrix::ProductRange::Kind::kRange:
      break;
  }
  return "[" + HexOf(model.accumulator, range.low) + "," + HexOf(model.accumulator, range.high) +
         "]";
}

// What every order gives that is as precise as the accumulator, element by element.
std::string RangesOf(const matrix::Model& model, const Product& product) {
  const auto m = static_cast<std::size_t>(model.m), n = static_cast<std::size_t>(model.n),
             k = static_cast<std::size_t>(model.k);
  matrix::Lines rows(model, m, k), columns(model, n, k);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t l = 0; l < k; ++l) rows.Set(i, l, product.a[i * k + l]);
  }
  for (std::size_t l = 0; l < k; ++l) {
    for (std::size_t j = 0; j < n; ++j) columns.Set(j, l, product.b[l * n + j]);
  }
  std::string text;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const auto range = RangeOfProduct(model, rows.at(i), columns.at(j), k, product.c[i * n + j]);
      text += (text.empty() ? "" : ",") + RangeText(model, range);
    }
  }
  return "[" + text + "]";
}

std::string ProductLine(const matrix::Model& model, const Product& product) {
  const matrix::Shape shape{static_cast<std::size_t>(model.m), static_cast<std::size_t>(model.n),
                            static_cast<std::size_t>(model.k)};
  std::string text =
      fmt::format(R"({{"a":{},"b":{},"c":{})", ListOf(model.input, product.a),
                  ListOf(model.input, product.b), ListOf(model.accumulator, product.c));
  Elements results(product.c.size());
  for (const auto& [name, own] : ModelsOf(model)) {
    Multiply(own, shape, product.a.data(), product.b.data(), product.c.data(), results.data(), 1);
    text += fmt::format(R"(,"{}":{})", name, ListOf(model.accumulator, results));
  }
  if (matrix::IntegerBits(model.input) == 0) {
    text += fmt::format(R"(,"any-order":{})", RangesOf(model, product));
  }
  return text + "}";
}

std::string Encoded(const matrix::Model& model, const std::vector<Product>& products,
                    const std::string& tool, const std::string& command) {
  const Json json = {{"schema", kGoldenMatrixSchema},
                     {"tool", tool},
                     {"command", command},
                     {"function", MatrixProductName(model)},
                     {"input", model.input},
                     {"accumulator", model.accumulator},
                     {"m", model.m},
                     {"n", model.n},
                     {"k", model.k},
                     {"count", products.size()}};
  const std::string head = base::JsonText(json, 1);
  std::string text = head.substr(0, head.size() - 2) + ",\n \"products\": [";
  for (std::size_t i = 0; i < products.size(); ++i) {
    text += i == 0 ? "\n" : ",\n";
    text += ProductLine(model, products[i]);
  }
  return Sealed(text + "\n],\n", GoldenEncoding::kJson);
}

std::optional<Elements> ElementsOf(const Json& entry, const char* name, std::size_t count) {
  const auto list = entry.is_object() ? entry.find(name) : entry.end();
  if (!entry.is_object() || list == entry.end() || !list->is_array() || list->size() != count) {
    return std::nullopt;
  }
  Elements elements;
  for (const Json& one : *list) {
    if (!one.is_string()) return std::nullopt;
    elements.push_back(
        static_cast<std::uint32_t>(std::strtoul(one.get<std::string>().c_str(), nullptr, 16)));
  }
  return elements;
}

}  // namespace

std::string MatrixProductName(const matrix::Model& model) {
  return fmt::format("{}{}_{}_{}x{}x{}", kPrefix, model.input, model.accumulator, model.m, model.n,
                     model.k);
}

std::optional<Expected<matrix::Model>> MatrixProductOf(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  char input[16] = "", accumulator[16] = "", more = 0;
  int m = 0, n = 0, k = 0;
  const std::string rest(name.substr(kPrefix.size()));
  const int read = std::sscanf(rest.c_str(), "%15[a-z0-9]_%15[a-z0-9]_%dx%dx%d%c", input,
                               accumulator, &m, &n, &k, &more);
  const auto is_size = [](int size) { return size >= 1 && size <= kMostRows; };
  if (read != 5 || !is_size(m) || !is_size(n) || !is_size(k)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is no product: write matrix_f16_f32_16x8x16, the format of a and "
                            "b, that of c and d, and m, n and k from 1 to {}",
                            name, kMostRows));
  }
  auto model = matrix::FindModel("exact", {}, input, accumulator);
  if (!model) return tl::unexpected<Error>(model.error());
  model->m = m;
  model->n = n;
  model->k = k;
  return model;
}

std::string EncodeGoldenMatrix(const matrix::Model& model, std::uint64_t seed, std::size_t tiles,
                               const std::string& tool, const std::string& command) {
  std::vector<Product> products;
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    Product product{.a = Elements(Size(model.m, model.k)),
                    .b = Elements(Size(model.k, model.n)),
                    .c = Elements(Size(model.m, model.n))};
    FillTile(model, seed, tile, product.a.data(), product.b.data(), product.c.data());
    products.push_back(std::move(product));
  }
  return Encoded(model, products, tool, command);
}

std::optional<Expected<std::string>> MatrixAgain(std::string_view content) {
  if (!content.starts_with("{")) return std::nullopt;
  const Json json = base::ParseJson(content);
  if (!json.is_object() || json.value("schema", "") != kGoldenMatrixSchema) return std::nullopt;
  const auto fail = [](const std::string& what) -> Expected<std::string> {
    return Fail(ErrorKind::kUsage, "a golden file of matrix products: " + what);
  };
  const auto text = [&](const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const auto model = MatrixProductOf(text("function"));
  if (!model || !*model) return fail("'function' is no product");
  const auto list = json.find("products");
  if (list == json.end() || !list->is_array()) return fail("it has no 'products'");
  std::vector<Product> products;
  for (const Json& entry : *list) {
    const matrix::Model& shape = **model;
    auto a = ElementsOf(entry, "a", Size(shape.m, shape.k));
    auto b = ElementsOf(entry, "b", Size(shape.k, shape.n));
    auto c = ElementsOf(entry, "c", Size(shape.m, shape.n));
    if (!a || !b || !c) {
      return fail(
          fmt::format("product {} has no a, b and c of the function's shape", products.size()));
    }
    products.push_back({*std::move(a), *std::move(b), *std::move(c)});
  }
  return Encoded(**model, products, text("tool"), text("command"));
}

}  // namespace assay::oracle
