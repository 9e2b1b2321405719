// Blocks of OCP MX: bits in, bits out.
#include <pybind11/numpy.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "base/threads.h"
#include "numerics/matrix/scaled.h"
#include "numerics/small_float/mx_block.h"
#include "python/bindings.h"
#include "python/errors.h"

namespace py = pybind11;

namespace assay::python {
namespace {

namespace matrix = numerics::matrix;
namespace small_float = numerics::small_float;

using Words = py::array_t<std::uint32_t, py::array::c_style>;
using WideWords = py::array_t<std::uint64_t, py::array::c_style>;

const small_float::Format& KnownFormat(const std::string& name) {
  const small_float::Format* const format = small_float::FormatOf(name);
  if (format == nullptr) throw Raised(ErrorKind::kUsage, "there is no format '" + name + "'");
  return *format;
}

// Blocks one behind another, of 32 each: the scales, and the elements.
py::tuple ToMx(const WideWords& bits, const std::string& from, const std::string& element,
               int rounding) {
  const small_float::Format &source = KnownFormat(from), &target = KnownFormat(element);
  const auto count = static_cast<std::size_t>(bits.size());
  if (count % small_float::kMxBlock != 0) throw py::value_error("no whole number of blocks");
  WideWords scales(static_cast<py::ssize_t>(count / small_float::kMxBlock)), elements(bits.size());
  std::vector<small_float::Number> numbers(small_float::kMxBlock);
  for (std::size_t first = 0; first < count; first += small_float::kMxBlock) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = small_float::Decode(source, bits.data()[first + i]);
    }
    const small_float::MxBlock block = small_float::ToMxBlock(
        target, numbers, {.rounding = static_cast<small_float::Rounding>(rounding)});
    scales.mutable_data()[first / small_float::kMxBlock] = block.scale;
    std::copy(block.elements.begin(), block.elements.end(), elements.mutable_data() + first);
  }
  return py::make_tuple(scales, elements);
}

// As doubles, which have every one of these numbers but those beyond their exponents.
py::array_t<double> FromMx(const WideWords& scales, const WideWords& elements,
                           const std::string& element) {
  const small_float::Format& format = KnownFormat(element);
  if (scales.size() * static_cast<py::ssize_t>(small_float::kMxBlock) != elements.size()) {
    throw py::value_error("another number of scales");
  }
  py::array_t<double> values(elements.size());
  for (py::ssize_t block = 0; block < scales.size(); ++block) {
    const auto first = block * static_cast<py::ssize_t>(small_float::kMxBlock);
    const auto numbers = small_float::FromMxBlock(format, scales.data()[block],
                                                  {elements.data() + first, small_float::kMxBlock});
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      values.mutable_data()[static_cast<std::size_t>(first) + i] =
          std::bit_cast<double>(small_float::Encode(*small_float::FormatOf("f64"), numbers[i]));
    }
  }
  return values;
}

Words MultiplyMx(const std::string& form_a, const std::string& form_b,
                 const std::string& accumulator, const Words& a, const Words& b,
                 const Words& scale_a, const Words& scale_b, const Words& c, int threads) {
  const matrix::Shape shape{static_cast<std::size_t>(a.shape(0)),
                            static_cast<std::size_t>(b.shape(1)),
                            static_cast<std::size_t>(a.shape(1))};
  const std::size_t blocks = shape.k / small_float::kMxBlock;
  const auto has = [](const Words& words, std::size_t rows, std::size_t columns) {
    return static_cast<std::size_t>(words.size()) == rows * columns;
  };
  if (shape.k % small_float::kMxBlock != 0 || !has(b, shape.k, shape.n) ||
      !has(scale_a, shape.m, blocks) || !has(scale_b, blocks, shape.n) ||
      !has(c, shape.m, shape.n)) {
    throw py::value_error("matrices of shapes that do not fit");
  }
  const matrix::ScaledFormats formats{&KnownFormat(form_a), &KnownFormat(form_b),
                                      &KnownFormat(accumulator)};
  Words d({shape.m, shape.n});
  std::uint32_t* const to = d.mutable_data();
  const std::uint32_t *from_a = a.data(), *from_b = b.data(), *of_a = scale_a.data(),
                      *of_b = scale_b.data(), *from_c = c.data();
  {
    const py::gil_scoped_release released;
    matrix::MultiplyScaled(formats, shape, from_a, from_b, of_a, of_b, from_c, to,
                           base::ThreadCount(threads));
  }
  return d;
}

}  // namespace

void BindMx(py::module_& module) {
  module.def("to_mx", &ToMx);
  module.def("from_mx", &FromMx);
  module.def("multiply_mx", &MultiplyMx);
  module.attr("mx_block") = small_float::kMxBlock;
}

}  // namespace assay::python
