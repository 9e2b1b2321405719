// matmul, matrix_error and convert: bits in, bits out.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "base/threads.h"
#include "numerics/matrix/multiply.h"
#include "numerics/small_float/convert.h"
#include "python/background.h"
#include "python/bindings.h"
#include "python/errors.h"

namespace py = pybind11;

namespace assay::python {
namespace {

namespace matrix = numerics::matrix;
namespace small_float = numerics::small_float;

using Matrix = py::array_t<std::uint32_t, py::array::c_style>;

matrix::Shape ShapeOf(const Matrix& a, const Matrix& b, const Matrix& c) {
  if (a.ndim() != 2 || b.ndim() != 2 || c.ndim() != 2 || a.shape(1) != b.shape(0) ||
      c.shape(0) != a.shape(0) || c.shape(1) != b.shape(1)) {
    throw py::value_error("matrices of shapes that do not fit");
  }
  return {static_cast<std::size_t>(a.shape(0)), static_cast<std::size_t>(b.shape(1)),
          static_cast<std::size_t>(a.shape(1))};
}

Matrix Multiply(const matrix::Model& model, const Matrix& a, const Matrix& b, const Matrix& c,
                int threads) {
  const matrix::Shape shape = ShapeOf(a, b, c);
  Matrix d({shape.m, shape.n});
  const std::uint32_t *from_a = a.data(), *from_b = b.data(), *from_c = c.data();
  std::uint32_t* const to = d.mutable_data();
  {
    const py::gil_scoped_release released;
    matrix::Multiply(model, shape, from_a, from_b, from_c, to, base::ThreadCount(threads));
  }
  return d;
}

py::array_t<double> Errors(const matrix::Model& model, const Matrix& a, const Matrix& b,
                           const Matrix& c, const Matrix& d, int threads) {
  const matrix::Shape shape = ShapeOf(a, b, c);
  if (d.ndim() != 2 || d.shape(0) != c.shape(0) || d.shape(1) != c.shape(1)) {
    throw py::value_error("d has another shape");
  }
  py::array_t<double> errors({shape.m, shape.n});
  const std::uint32_t *from_a = a.data(), *from_b = b.data(), *from_c = c.data(),
                      *from_d = d.data();
  double* const to = errors.mutable_data();
  {
    const py::gil_scoped_release released;
    matrix::MultiplyErrors(model, shape, from_a, from_b, from_c, from_d, to,
                           base::ThreadCount(threads));
  }
  return errors;
}

const small_float::Format& FormatOf(const std::string& name) {
  const small_float::Format* const format = small_float::FormatOf(name);
  if (format == nullptr) throw Raised(ErrorKind::kUsage, "there is no format '" + name + "'");
  return *format;
}

py::array_t<std::uint64_t> Convert(const py::array_t<std::uint64_t, py::array::c_style>& bits,
                                   const std::string& from, const std::string& to, int rounding,
                                   int overflow,
                                   const py::array_t<std::uint32_t, py::array::c_style>& words) {
  const small_float::Format &source = FormatOf(from), &target = FormatOf(to);
  small_float::Conversion conversion{.rounding = static_cast<small_float::Rounding>(rounding),
                                     .overflow = static_cast<small_float::Overflow>(overflow)};
  if (words.size() != 0 && words.size() != bits.size()) {
    throw py::value_error("another number of words");
  }
  py::array_t<std::uint64_t> results(bits.size());
  for (py::ssize_t i = 0; i < bits.size(); ++i) {
    if (words.size() != 0) conversion.word = words.data()[i];
    results.mutable_data()[i] = small_float::Convert(source, bits.data()[i], target, conversion);
  }
  return results;
}

template <std::size_t N>
std::vector<std::string> Names(const std::string_view (&names)[N]) {
  return {std::begin(names), std::end(names)};
}

}  // namespace

void BindMatrix(py::module_& module) {
  py::class_<matrix::Model>(module, "MatrixModel")
      .def_readonly("name", &matrix::Model::name)
      .def("multiply", &Multiply)
      .def("errors", &Errors);
  module.def("find_matrix_model", [](const std::string& name, const std::string& text,
                                     const std::string& input, const std::string& accumulator) {
    return ValueOf(matrix::FindModel(name, text, input, accumulator));
  });
  module.def("matrix_model_names", [] {
    std::vector<std::string> names;
    for (const std::string_view name : matrix::ModelNames()) names.emplace_back(name);
    return names;
  });
  module.def("small_formats", [] {
    py::list rows;
    for (const small_float::Format& format : small_float::kFormats) {
      rows.append(py::make_tuple(std::string(format.name), format.width()));
    }
    return rows;
  });
  module.def("convert_small", &Convert);
  module.attr("small_roundings") = Names(small_float::kRoundingNames);
  module.attr("small_overflows") = Names(small_float::kOverflowNames);
}

}  // namespace assay::python
