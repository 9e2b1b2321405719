// Products of matrices: OpCooperativeMatrixMulAddKHR, and SPV_INTEL_subgroup_matrix_multiply_
// accumulate, whose matrices are vectors.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "interp/import/import.h"
#include "numerics/matrix/product.h"
#include "numerics/small_float/format.h"

namespace assay::interp {

using frontend::FloatEncoding;
using frontend::Type;
using frontend::TypeKind;
using numerics::matrix::Element;

namespace {

using KhrOperands = frontend::CooperativeMatrixOperands;
using IntelOperands = frontend::MatrixMultiplyAccumulateOperands;

Element FloatElement(std::string_view name) {
  const auto* format = numerics::small_float::FormatOf(name);
  return {.format = format, .bits = format->width()};
}

// Of a component that is read as its type says.
Element ElementOfType(const Type& type, bool is_signed) {
  if (type.kind != TypeKind::kFloat) {
    return {.bits = static_cast<int>(type.width), .is_signed = is_signed};
  }
  switch (type.encoding) {
    case FloatEncoding::kIeee:
      return FloatElement(type.width == 16 ? "f16" : type.width == 32 ? "f32" : "f64");
    case FloatEncoding::kBfloat16:
      return FloatElement("bf16");
    case FloatEncoding::kE4m3:
      return FloatElement("e4m3");
    case FloatEncoding::kE5m2:
      return FloatElement("e5m2");
  }
  return {};
}

// A matrix whose components are spread over a sub-group (matrix_places.h).  What is given are
// elements only; what is got fills the components that are copies, too.
MatrixOperand Spread(const Type& matrix, const Type& component, std::uint32_t parts,
                     std::uint32_t size, bool is_result) {
  MatrixOperand operand;
  operand.parts = parts;
  operand.bits = static_cast<std::uint8_t>(component.width);
  operand.shift = component.IsBfloat() ? 16 : 0;
  const std::uint32_t elements = matrix.rows * matrix.columns;
  for (std::uint32_t i = 0; i < parts * size; ++i) {
    const std::uint32_t lane = i % size;
    const std::uint32_t element = i - lane + (IsRotated(matrix) ? (lane + 1) % size : lane);
    const std::uint32_t place = IsByColumns(matrix)
                                    ? element % matrix.rows * matrix.columns + element / matrix.rows
                                    : element;
    operand.places.push_back(element < elements ? place : is_result ? lane % elements : kNoElement);
  }
  return operand;
}

}  // namespace

void Importer::EmitMultiply(const Instruction& instruction, MatrixCall call,
                            const numerics::matrix::ProductTypes& types,
                            const numerics::matrix::Shape& shape, std::span<const Id> operands) {
  const bool are_floats = types.d.format != nullptr;
  for (const Element& element : {types.a, types.b, types.c}) {
    if ((element.format != nullptr) != are_floats) {
      return FailUsage("a product of matrices of floats and of integers");
    }
  }
  auto product =
      numerics::matrix::TileProduct::Find(context_.matrix, context_.matrix_text, types, shape);
  if (!product) {
    const Error& error = product.error();
    if (error.kind == ErrorKind::kUsage) return FailWith(error.kind, error.message);
    return FailUnsupported(fmt::format("{} (--matrix)", error.message));
  }
  call.product = std::make_shared<const numerics::matrix::TileProduct>(*std::move(product));
  std::vector<Value> values;
  for (const Id operand : operands) {
    const std::vector<Value> parts = ValuesOf(operand);
    values.insert(values.end(), parts.begin(), parts.end());
  }
  if (error_) return;
  std::vector<Kind> kinds;
  for (const Leaf& leaf : LeavesOf(instruction.type)) kinds.push_back(leaf.kind);
  SubgroupCall together;
  together.function = SubgroupFunction::kMatrixMultiply;
  together.is_uniform = true;
  together.values = 1;
  together.parts = static_cast<std::uint32_t>(values.size());
  together.results = static_cast<std::uint32_t>(kinds.size());
  together.matrix = static_cast<std::uint32_t>(result_.matrix_calls.size());
  result_.matrix_calls.push_back(std::move(call));
  result_.subgroup_calls.push_back(together);
  std::vector<Value> results;
  Sync(Opcode::kSubgroup, kinds[0], values, result_.subgroup_calls.size() - 1, kinds, &results);
  if (!error_) Bind(instruction.result, results);
}

void Importer::ImportMatrixMultiply(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Type* const matrices[] = {&TypeOfValue(operands[0]), &TypeOfValue(operands[1]),
                                  &TypeOfValue(operands[2]), module_.types.Find(instruction.type)};
  for (const Type* matrix : matrices) {
    if (matrix == nullptr || !matrix->IsMatrix()) {
      return FailUsage("a product of what is no matrix");
    }
  }
  const auto [a, b, c, d] = std::to_array(matrices);
  const auto m = d->rows, n = d->columns, k = a->columns;
  const bool fits =
      a->rows == m && b->rows == k && b->columns == n && c->rows == m && c->columns == n;
  if (!fits || a->use != 0 || b->use != 1 || c->use != 2 || d->use != 2) {
    return FailUsage(fmt::format("matrices that do not fit together: {}, {}, {} and the result {}",
                                 module_.types.Describe(a->id), module_.types.Describe(b->id),
                                 module_.types.Describe(c->id), module_.types.Describe(d->id)));
  }
  const Word flags = operands.size() > 3 ? operands[3] : 0;
  const auto has = [&](KhrOperands flag) { return (flags & static_cast<Word>(flag)) != 0; };
  const KhrOperands signs[] = {
      KhrOperands::kMatrixASignedComponentsKHR, KhrOperands::kMatrixBSignedComponentsKHR,
      KhrOperands::kMatrixCSignedComponentsKHR, KhrOperands::kMatrixResultSignedComponentsKHR};
  const bool is_tf32 = has(KhrOperands::kMatrixAAndBTF32ComponentsINTEL);
  const bool factors_bf16 = has(KhrOperands::kMatrixAAndBBFloat16ComponentsINTEL);
  const bool are_bf16[] = {factors_bf16, factors_bf16,
                           has(KhrOperands::kMatrixCBFloat16ComponentsINTEL),
                           has(KhrOperands::kMatrixResultBFloat16ComponentsINTEL)};
  std::vector<Element> elements;
  std::vector<MatrixOperand> places;
  for (std::size_t i = 0; i < 4 && !error_; ++i) {
    const Type& component = *module_.types.Find(matrices[i]->element);
    Element element = ElementOfType(component, has(signs[i]));
    if (is_tf32 && i < 2) {
      if (element.Name() != "f32") return FailUsage("components read as TF32 that are no floats");
      element = FloatElement("tf32");
    }
    if (are_bf16[i]) {
      if (component.kind != TypeKind::kInteger || component.width != 16) {
        return FailUsage("components read as bfloat16 that are no integers of 16 bits");
      }
      element = FloatElement("bf16");
    }
    elements.push_back(element);
    const Id type = i < 3 ? TypeIdOf(operands[i]) : instruction.type;
    const auto parts = static_cast<std::uint32_t>(LeavesOf(type).size());
    places.push_back(Spread(*matrices[i], component, parts, context_.own_subgroup_size, i == 3));
  }
  if (error_) return;
  const numerics::matrix::ProductTypes types{elements[0], elements[1], elements[2], elements[3],
                                             has(KhrOperands::kSaturatingAccumulationKHR)};
  EmitMultiply(instruction, {places[0], places[1], places[2], places[3], nullptr}, types, {m, n, k},
               operands.first(3));
}

namespace {

// How the bits of a vector's components are read.
struct Interpretation {
  Element element;
  int register_bits = 0;
  bool is_bfloat = false;  // of the type
};

// A: columns of the matrix are given by work-items in order, several of them packed in one value
// where there are less work-items than columns; if there are more, every n-th row of one column.
MatrixOperand FirstFactor(const Interpretation& one, std::uint32_t parts, std::uint32_t m,
                          std::uint32_t k, std::uint32_t size) {
  MatrixOperand operand{.parts = parts, .bits = static_cast<std::uint8_t>(one.element.bits)};
  operand.shift = one.is_bfloat ? 16 : 0;
  const std::uint32_t packed = std::max(k / size, 1u);
  const std::uint32_t shares = std::max(size / k, 1u);
  operand.elements = static_cast<std::uint8_t>(packed);
  for (std::uint32_t part = 0; part < parts; ++part) {
    for (std::uint32_t i = 0; i < packed; ++i) {
      for (std::uint32_t lane = 0; lane < size; ++lane) {
        const std::uint32_t column = (lane % std::min(k, size)) * packed + i;
        const std::uint32_t row = part * shares + lane / std::min(k, size);
        operand.places.push_back(row < m && column < k ? row * k + column : kNoElement);
      }
    }
  }
  return operand;
}

// B, C and the result: a column for each work-item, rows in order.
MatrixOperand Columns(const Interpretation& one, std::uint32_t parts, std::uint32_t rows,
                      std::uint32_t size) {
  MatrixOperand operand{.parts = parts, .bits = static_cast<std::uint8_t>(one.element.bits)};
  operand.shift = one.is_bfloat ? 16 : 0;
  operand.elements = static_cast<std::uint8_t>(
      std::max(1, one.is_bfloat ? 1 : one.register_bits / one.element.bits));
  for (std::uint32_t row = 0; row < parts * operand.elements; ++row) {
    for (std::uint32_t lane = 0; lane < size; ++lane) {
      operand.places.push_back(row < rows ? row * size + lane : kNoElement);
    }
  }
  return operand;
}

}  // namespace

// `factors`: A, B and C.
void Importer::ImportSubgroupMultiply(const Instruction& instruction,
                                      std::optional<std::uint64_t> depth,
                                      std::span<const Word> factors, Word flags) {
  const auto has = [&](IntelOperands flag) { return (flags & static_cast<Word>(flag)) != 0; };
  const auto read_as = [&](Id type, std::string_view float_name, int integer_bits,
                           bool is_signed) -> std::optional<Interpretation> {
    const Type* component = ComponentOf(type);
    if (component == nullptr) return std::nullopt;
    Interpretation one{ElementOfType(*component, is_signed), static_cast<int>(component->width),
                       component->IsBfloat()};
    if (!float_name.empty()) one.element = FloatElement(float_name);
    if (integer_bits != 0) one.element = {.bits = integer_bits, .is_signed = is_signed};
    if (one.element.bits > one.register_bits) return std::nullopt;
    return one;
  };
  const bool a_tf32 = has(IntelOperands::kMatrixATF32INTEL);
  const bool b_tf32 = has(IntelOperands::kMatrixBTF32INTEL);
  const std::string_view a_name = a_tf32                                            ? "tf32"
                                  : has(IntelOperands::kMatrixAPackedFloat16INTEL)  ? "f16"
                                  : has(IntelOperands::kMatrixAPackedBFloat16INTEL) ? "bf16"
                                                                                    : "";
  const std::string_view b_name = b_tf32                                            ? "tf32"
                                  : has(IntelOperands::kMatrixBPackedFloat16INTEL)  ? "f16"
                                  : has(IntelOperands::kMatrixBPackedBFloat16INTEL) ? "bf16"
                                                                                    : "";
  const auto integer_bits = [&](IntelOperands eight, IntelOperands four) {
    return has(eight) ? 8 : has(four) ? 4 : 0;
  };
  const bool a_signed = has(IntelOperands::kMatrixASignedComponentsINTEL);
  const bool b_signed = has(IntelOperands::kMatrixBSignedComponentsINTEL);
  const auto a = read_as(
      TypeIdOf(factors[0]), a_name,
      integer_bits(IntelOperands::kMatrixAPackedInt8INTEL, IntelOperands::kMatrixAPackedInt4INTEL),
      a_signed);
  const auto b = read_as(
      TypeIdOf(factors[1]), b_name,
      integer_bits(IntelOperands::kMatrixBPackedInt8INTEL, IntelOperands::kMatrixBPackedInt4INTEL),
      b_signed);
  const auto c = read_as(TypeIdOf(factors[2]),
                         has(IntelOperands::kMatrixCBFloat16INTEL) ? "bf16" : "", 0, true);
  const auto d = read_as(instruction.type,
                         has(IntelOperands::kMatrixResultBFloat16INTEL) ? "bf16" : "", 0, true);
  const std::uint32_t size = context_.own_subgroup_size;
  if (!depth || *depth == 0 || *depth > 1024 || !a || !b || !c || !d) {
    return FailUsage("matrices of other types than the operands say, or without a constant K");
  }
  const auto k = static_cast<std::uint32_t>(*depth);
  const auto parts_of = [&](Id type) { return static_cast<std::uint32_t>(LeavesOf(type).size()); };
  const std::uint32_t m = parts_of(instruction.type);
  MatrixCall call;
  call.a = FirstFactor(*a, parts_of(TypeIdOf(factors[0])), m, k, size);
  call.b = Columns(*b, parts_of(TypeIdOf(factors[1])), k, size);
  call.c = Columns(*c, parts_of(TypeIdOf(factors[2])), m, size);
  call.d = Columns(*d, m, m, size);
  if (error_) return;
  const auto given = [](const MatrixOperand& operand) {
    return static_cast<std::size_t>(std::ranges::count_if(
        operand.places, [](std::uint32_t place) { return place != kNoElement; }));
  };
  const bool divides = (size > k ? size % k : k % size) == 0;
  if (call.a.elements * a->element.bits > a->register_bits || !divides ||
      given(call.a) != std::size_t{m} * k || given(call.b) != std::size_t{k} * size ||
      call.c.parts != m || call.c.elements != 1 || call.d.elements != 1) {
    return FailUsage(fmt::format("matrices that are not those of a product of {} x {} by {} x {}",
                                 m, k, k, size));
  }
  EmitMultiply(instruction, std::move(call), {a->element, b->element, c->element, d->element},
               {m, size, k}, factors);
}

// A call of intel_sub_group_i8_i8_matrix_mad_k32 or its kin.
void Importer::ImportMatrixFunction(const Instruction& instruction,
                                    const frontend::MatrixFunction& function) {
  const auto factors = module_.Operands(instruction).subspan(1);
  if (factors.size() != 3) return FailUsage("a product of matrices without A, B and C");
  Word flags = function.operands;
  const Type* sum = ComponentOf(instruction.type);
  if (function.elements == "bf16_bf16" && sum != nullptr && sum->kind == TypeKind::kInteger) {
    flags |= static_cast<Word>(IntelOperands::kMatrixCBFloat16INTEL) |
             static_cast<Word>(IntelOperands::kMatrixResultBFloat16INTEL);
  }
  ImportSubgroupMultiply(instruction, function.k, factors, flags);
}

}  // namespace assay::interp
