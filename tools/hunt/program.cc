#include "tools/hunt/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace assay::tools {
namespace {

struct BaseRow {
  std::string_view name;
  int bytes;
};
constexpr std::array<BaseRow, kHuntBases> kBases = {{
    {"char", 1},
    {"uchar", 1},
    {"short", 2},
    {"ushort", 2},
    {"int", 4},
    {"uint", 4},
    {"long", 8},
    {"ulong", 8},
    {"float", 4},
    {"double", 8},
    {"half", 2},
}};
const BaseRow& RowOf(HuntBase base) { return kBases[static_cast<std::size_t>(base)]; }

bool IsWordLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The form with its operands' texts in their places.
std::string Filled(std::string_view form, const std::vector<HuntExpr>& kids) {
  std::string text;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '$' && i + 1 < form.size() &&
        std::isdigit(static_cast<unsigned char>(form[i + 1])) != 0) {
      text += PrintExpr(kids.at(static_cast<std::size_t>(form[++i] - '0')));
    } else {
      text += form[i];
    }
  }
  return text;
}

class Printer {
 public:
  explicit Printer(const HuntProgram& program) : program_(program) {}

  HuntText Print(const std::string& name, const std::string& suffix);

 private:
  void Stmts(const std::vector<HuntStmt>& stmts, int depth);
  void One(const HuntStmt& stmt, int depth);
  void Output(const HuntStmt& stmt, int depth);
  void Store(const HuntStore& store, const std::string& value, int depth);
  std::string Heads(const HuntText& text) const;

  const HuntProgram& program_;
  std::string body_;
  std::map<HuntBase, std::uint64_t> used_;  // components of the output buffers
  std::vector<HuntJudged> judged_;
};

// A place of the item, then those of the items after it: neighbours write neighbouring bytes.
void Printer::Store(const HuntStore& store, const std::string& value, int depth) {
  const auto [type, offset] = store;
  const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
  if (type.width == 1) {
    const std::string place = offset == 0 ? "i" : fmt::format("i + {}", offset);
    body_ += fmt::format("{}out_{}[{}] = {};\n", indent, NameOf(type.base), place, value);
  } else {
    const std::string place = offset == 0 ? "" : fmt::format(" + {}", offset);
    body_ += fmt::format("{}vstore{}({}, i, out_{}{});\n", indent, type.width, value,
                         NameOf(type.base), place);
  }
}

void Printer::Output(const HuntStmt& stmt, int depth) {
  const HuntExpr& expr = stmt.exprs.at(0);
  const std::vector<HuntStore> stores = StoresOf(stmt, program_.items, &used_);
  if (expr.judged.empty()) return Store(stores[0], PrintExpr(expr), depth);
  const std::size_t count = expr.kids.size();
  const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
  const bool has_second = expr.second.width != 0;
  if (has_second) body_ += fmt::format("{0}{{\n{0}  {1} second;\n", indent, NameOf(expr.second));
  const int inner = depth + (has_second ? 1 : 0);
  for (std::size_t k = 0; k < count; ++k) Store(stores[k], PrintExpr(expr.kids[k]), inner);
  Store(stores[count], PrintExpr(expr), inner);
  if (has_second) {
    Store(stores[count + 1], "second", inner);
    body_ += indent + "}\n";
  }
  const auto end = stores.begin() + static_cast<std::ptrdiff_t>(count);
  judged_.push_back({expr.judged, {stores.begin(), end}, {end, stores.end()}});
}

void Printer::One(const HuntStmt& stmt, int depth) {
  if (stmt.is_output) return Output(stmt, depth);
  const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
  body_ += indent + Filled(stmt.head, stmt.exprs);
  if (stmt.has_body) {
    body_ += stmt.head.empty() ? "{\n" : " {\n";
    Stmts(stmt.body, depth + 1);
    body_ += indent + "}";
    if (!stmt.otherwise.empty()) {
      body_ += " else {\n";
      Stmts(stmt.otherwise, depth + 1);
      body_ += indent + "}";
    }
    if (stmt.head.starts_with("typedef")) body_ += " " + stmt.declares + ";";
    if (stmt.head.starts_with("do")) body_ += " while (0);";
  }
  body_ += "\n";
}

void Printer::Stmts(const std::vector<HuntStmt>& stmts, int depth) {
  for (const HuntStmt& stmt : stmts) One(stmt, depth);
}

std::string Printer::Heads(const HuntText& text) const {
  std::vector<std::string> parameters;
  for (const HuntText::Pipe& pipe : text.pipes)
    parameters.push_back(program_.cells[pipe.cell].parameter);
  for (const HuntBase base : text.inputs) {
    parameters.push_back(fmt::format("global const {0}* in_{0}", NameOf(base)));
  }
  for (const HuntBase base : text.outputs) {
    parameters.push_back(fmt::format("global {0}* out_{0}", NameOf(base)));
  }
  for (const std::size_t cell : text.cells) parameters.push_back(program_.cells[cell].parameter);
  return fmt::format("{}", fmt::join(parameters, ", "));
}

HuntText Printer::Print(const std::string& name, const std::string& suffix) {
  HuntText text;
  Stmts(program_.body, 1);
  // Parts use parts that stand before them.
  std::string inside, outside;
  for (auto part = program_.parts.rbegin(); part != program_.parts.rend(); ++part) {
    if (!HasWord(body_, part->name) && !HasWord(inside, part->name) &&
        !HasWord(outside, part->name))
      continue;
    const std::string before = std::move(body_);
    body_.clear();
    One(part->text, part->is_inside ? 1 : 0);
    (part->is_inside ? inside : outside).insert(0, body_);
    body_ = before;
  }
  const std::string all = inside + body_;
  for (int b = 0; b < kHuntBases; ++b) {
    const auto base = static_cast<HuntBase>(b);
    if (HasWord(all, fmt::format("in_{}", NameOf(base)))) text.inputs.push_back(base);
    if (const auto found = used_.find(base); found != used_.end()) {
      text.outputs.push_back(base);
      text.output_counts.push_back(found->second);
    }
  }
  for (std::size_t i = 0; i < program_.cells.size(); ++i) {
    const HuntCells& cells = program_.cells[i];
    if (!HasWord(all, cells.name)) continue;
    if (cells.pipe) {
      text.pipes.push_back({i, cells.pipe->filler});
      outside += cells.pipe->text;
    } else {
      text.cells.push_back(i);
    }
  }
  std::vector<std::string> ids;
  if (HasWord(all, "i")) ids.emplace_back("i = (uint)get_global_id(0)");
  if (HasWord(all, "l")) ids.emplace_back("l = (uint)get_local_id(0)");
  if (HasWord(all, "n")) ids.emplace_back("n = (uint)get_local_size(0)");
  const std::string id = ids.empty() ? "" : fmt::format("  const uint {};\n", fmt::join(ids, ", "));
  text.judged = std::move(judged_);
  text.outside = outside;
  text.kernel =
      fmt::format("kernel void {}({}) {{\n{}{}{}}}\n", name, Heads(text), id, inside, body_);
  std::vector<std::string*> texts = {&text.outside, &text.kernel};
  for (HuntText::Pipe& pipe : text.pipes) texts.push_back(&pipe.filler);
  for (std::string* one : texts) {
    for (std::size_t at = 0; (at = one->find('@', at)) != std::string::npos;) {
      one->replace(at, 1, suffix);
    }
  }
  return text;
}

void VisitExpr(HuntExpr* expr, const std::function<void(HuntExpr*)>& visit) {
  visit(expr);
  for (HuntExpr& kid : expr->kids) VisitExpr(&kid, visit);
}

void VisitStmt(HuntStmt* stmt, const std::function<void(HuntStmt*)>& visit) {
  visit(stmt);
  for (HuntStmt& one : stmt->body) VisitStmt(&one, visit);
  for (HuntStmt& one : stmt->otherwise) VisitStmt(&one, visit);
}

void VisitAll(HuntProgram* program, const std::function<void(HuntStmt*)>& visit) {
  for (HuntPart& part : program->parts) VisitStmt(&part.text, visit);
  for (HuntStmt& stmt : program->body) VisitStmt(&stmt, visit);
}

}  // namespace

std::string_view NameOf(HuntBase base) { return RowOf(base).name; }
int BytesOf(HuntBase base) { return RowOf(base).bytes; }
bool IsInteger(HuntBase base) { return base < HuntBase::kFloat; }
bool IsSigned(HuntBase base) { return IsInteger(base) && (static_cast<int>(base) & 1) == 0; }
HuntBase SignedOf(HuntBase base) {
  if (base == HuntBase::kFloat) return HuntBase::kInt;
  if (base == HuntBase::kDouble) return HuntBase::kLong;
  if (base == HuntBase::kHalf) return HuntBase::kShort;
  return static_cast<HuntBase>(static_cast<int>(base) & ~1);
}
HuntBase UnsignedOf(HuntBase base) {
  return static_cast<HuntBase>(static_cast<int>(SignedOf(base)) | 1);
}
std::string NameOf(HuntType type) {
  return type.width == 1 ? std::string(NameOf(type.base))
                         : fmt::format("{}{}", NameOf(type.base), type.width);
}

bool HasWord(std::string_view text, std::string_view word) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !IsWordLetter(text[at - 1]);
    if (begins && (end == text.size() || !IsWordLetter(text[end]))) return true;
  }
  return false;
}

// Vectors of 16 components, and up to 64 components further.
std::uint64_t InputCount(std::uint32_t items) { return std::uint64_t{16} * items + 64; }

std::vector<HuntStore> StoresOf(const HuntStmt& output, std::uint32_t items,
                                std::map<HuntBase, std::uint64_t>* used) {
  std::vector<HuntStore> stores;
  const auto add = [&](HuntType type) {
    std::uint64_t& place = (*used)[type.base];
    stores.push_back({type, place});
    place += items * static_cast<std::uint64_t>(type.width);
  };
  const HuntExpr& expr = output.exprs.at(0);
  if (!expr.judged.empty()) {
    for (const HuntExpr& kid : expr.kids) add(kid.type);
  }
  add(expr.type);
  if (expr.second.width != 0) add(expr.second);
  return stores;
}

std::string PrintExpr(const HuntExpr& expr) { return Filled(expr.form, expr.kids); }

HuntText PrintProgram(const HuntProgram& program, const std::string& name,
                      const std::string& suffix) {
  return Printer(program).Print(name, suffix);
}

int LinesOf(const HuntText& text) {
  return static_cast<int>(std::ranges::count(text.outside + text.kernel, '\n'));
}

void ForEachExpr(HuntProgram* program, const std::function<void(HuntExpr*)>& visit) {
  VisitAll(program, [&](HuntStmt* stmt) {
    for (HuntExpr& expr : stmt->exprs) VisitExpr(&expr, visit);
  });
}

void ForEachExpr(const HuntProgram& program, const std::function<void(const HuntExpr&)>& visit) {
  ForEachExpr(const_cast<HuntProgram*>(&program), [&](HuntExpr* expr) { visit(*expr); });
}

void ForEachStmt(const HuntProgram& program, const std::function<void(const HuntStmt&)>& visit) {
  VisitAll(const_cast<HuntProgram*>(&program), [&](HuntStmt* stmt) { visit(*stmt); });
}

}  // namespace assay::tools
