#include "tools/hunt/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace assay::tools {
namespace {

constexpr std::size_t kCandidates = 8;  // of one call
using Stmts = std::vector<HuntStmt>;

// An edit gives a smaller program, or nothing where it does not apply.
using Edit = std::function<bool(HuntProgram*)>;

void ForEachBlock(Stmts* stmts, const std::function<void(Stmts*)>& visit) {
  visit(stmts);
  for (HuntStmt& one : *stmts) {
    if (one.has_body) ForEachBlock(&one.body, visit);
    if (!one.otherwise.empty()) ForEachBlock(&one.otherwise, visit);
  }
}

// In a fixed order: edits name blocks and expressions by their numbers in it.
void ForEachBlock(HuntProgram* program, const std::function<void(Stmts*)>& visit) {
  ForEachBlock(&program->body, visit);
  for (HuntPart& part : program->parts) {
    if (part.text.has_body) ForEachBlock(&part.text.body, visit);
  }
}

bool EditBlock(HuntProgram* program, std::size_t number, const std::function<bool(Stmts*)>& edit) {
  std::size_t count = 0;
  bool done = false;
  Stmts* found = nullptr;
  ForEachBlock(program, [&](Stmts* block) {
    if (count++ == number) found = block;
  });
  if (found != nullptr) done = edit(found);
  return done;
}

bool EditExpr(HuntProgram* program, std::size_t number,
              const std::function<bool(HuntExpr*)>& edit) {
  std::size_t count = 0;
  HuntExpr* found = nullptr;
  ForEachExpr(program, [&](HuntExpr* expr) {
    if (count++ == number) found = expr;
  });
  return found != nullptr && edit(found);
}

// Names that statements declare, in all of the program.
std::set<std::string> DeclaredBy(const HuntProgram& program) {
  std::set<std::string> names;
  ForEachStmt(program, [&](const HuntStmt& stmt) {
    if (!stmt.declares.empty() && !stmt.head.starts_with("typedef")) names.insert(stmt.declares);
  });
  return names;
}

std::string Printed(const HuntProgram& program) {
  const HuntText text = PrintProgram(program, "hunted", "");
  return text.outside + text.kernel;
}

// How much there is to read.
std::size_t SizeOf(const HuntProgram& program) {
  const HuntText text = PrintProgram(program, "hunted", "");
  return text.outside.size() + text.kernel.size() + 40 * static_cast<std::size_t>(LinesOf(text));
}

bool HasOutput(const HuntProgram& program) {
  bool has = false;
  ForEachStmt(program, [&](const HuntStmt& stmt) { has = has || stmt.is_output; });
  const HuntText text = PrintProgram(program, "hunted", "");
  return has || !text.cells.empty();
}

// Fills the pipes plainly whose cause `is_meant`; whether there are any.
bool FillPlainly(HuntProgram* program, const std::function<bool(const std::string&)>& is_meant) {
  bool has = false;
  for (HuntCells& cells : program->cells) {
    if (!cells.pipe || cells.pipe->cause.empty() || !is_meant(cells.pipe->cause)) continue;
    cells.pipe->text = cells.pipe->plain;
    cells.pipe->cause.clear();
    has = true;
  }
  return has;
}

// A variable that is used and no longer declared is an error of the compiler, which costs a run.
bool IsWellFormed(const HuntProgram& program, const std::set<std::string>& names) {
  if (!HasOutput(program)) return false;
  const std::set<std::string> declared = DeclaredBy(program);
  const std::string text = Printed(program);
  return std::ranges::all_of(names, [&](const std::string& name) {
    return declared.contains(name) || !HasWord(text, name);
  });
}

// Names of variables, labels and parts that a text has: a letter and a number.
std::set<std::string> NamesIn(std::string_view text) {
  std::set<std::string> names;
  const auto is_letter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_letter(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const bool is_name =
        word.size() > 1 && std::isalpha(static_cast<unsigned char>(word[0])) != 0 &&
        std::ranges::all_of(word.substr(1), [](char c) { return c >= '0' && c <= '9'; });
    if (is_name && word[0] != 's') names.emplace(word);  // not lanes
    at = std::max(end, at + 1);
  }
  return names;
}

void AppendText(const HuntStmt& stmt, std::string* text) {
  *text += stmt.head + " ";
  for (const HuntExpr& expr : stmt.exprs) *text += PrintExpr(expr) + " ";
  for (const HuntStmt& one : stmt.body) AppendText(one, text);
  for (const HuntStmt& one : stmt.otherwise) AppendText(one, text);
}

// The statement at `kept` and the variable `name`, with all statements that have a name of theirs;
// what is too little is found when it is run.
HuntProgram Slice(const HuntProgram& program, std::size_t kept, const std::string& name) {
  std::vector<std::set<std::string>> names;
  for (const HuntStmt& stmt : program.body) {
    std::string text;
    AppendText(stmt, &text);
    names.push_back(NamesIn(text));
  }
  std::set<std::string> needed = {name};
  std::vector<bool> is_kept(program.body.size(), false);
  if (kept < program.body.size()) {
    is_kept[kept] = true;
    needed.insert(names[kept].begin(), names[kept].end());
  }
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (std::size_t i = 0; i < program.body.size(); ++i) {
      const auto is_needed = [&](const std::string& one) { return needed.contains(one); };
      if (is_kept[i] || program.body[i].is_output || std::ranges::none_of(names[i], is_needed))
        continue;
      is_kept[i] = is_new = true;
      needed.insert(names[i].begin(), names[i].end());
    }
  }
  const bool has_shared = std::ranges::any_of(
      needed, [](const std::string& one) { return one.starts_with("t") || one.starts_with("x"); });
  HuntProgram slice = program;
  slice.body.clear();
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    if (is_kept[i] || (has_shared && program.body[i].cause == "barrier"))
      slice.body.push_back(program.body[i]);
  }
  return slice;
}

class Reducer {
 public:
  Reducer(HuntReduction start, HuntTrier* trier, std::chrono::steady_clock::time_point deadline)
      : best_(std::move(start)), trier_(*trier), deadline_(deadline) {}

  HuntReduction Run() {
    KeepOneResult();
    // Large pieces first.
    while (Improve(Removals(true))) {
    }
    for (int round = 0; round < 40 && !IsLate(); ++round) {
      const bool fewer = Improve(Removals(false));
      const bool simpler = Improve(Simplifications());
      if (!fewer && !simpler) break;
    }
    SmallerLaunch();
    RemoveUnused();
    return std::move(best_);
  }

 private:
  bool IsLate() const { return std::chrono::steady_clock::now() > deadline_; }
  bool IsSame(const HuntResult& result) const { return result.verdict == best_.result.verdict; }

  void KeepOneResult();
  std::vector<Edit> Removals(bool only_large) const;
  std::vector<Edit> Simplifications() const;
  void AddExprEdits(std::vector<Edit>* edits) const;
  void AddInlining(std::vector<Edit>* edits) const;
  void SmallerLaunch();
  void RemoveUnused();
  bool Improve(const std::vector<Edit>& edits);
  bool Take(std::vector<HuntProgram> candidates);

  HuntReduction best_;
  HuntTrier& trier_;
  const std::chrono::steady_clock::time_point deadline_;
};

// Takes the smallest candidate that is as wrong as before; then edits that were right, too, are
// tried together with it.
bool Reducer::Take(std::vector<HuntProgram> candidates) {
  if (candidates.empty() || IsLate()) return false;
  const auto results = trier_.Try(candidates, best_.setting);
  best_.tried += static_cast<int>(candidates.size());
  std::optional<std::size_t> smallest;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!IsSame(results[i])) continue;
    if (!smallest || SizeOf(candidates[i]) < SizeOf(candidates[*smallest])) smallest = i;
  }
  if (!smallest) return false;
  best_.program = std::move(candidates[*smallest]);
  best_.result = results[*smallest];
  return true;
}

bool Reducer::Improve(const std::vector<Edit>& edits) {
  const std::set<std::string> names = DeclaredBy(best_.program);
  const std::size_t size = SizeOf(best_.program);
  const std::string before = Printed(best_.program);
  std::vector<HuntProgram> candidates;
  std::set<std::string> seen = {before};
  for (const Edit& edit : edits) {
    HuntProgram candidate = best_.program;
    if (!edit(&candidate) || SizeOf(candidate) >= size || !IsWellFormed(candidate, names)) continue;
    if (!seen.insert(Printed(candidate)).second) continue;
    candidates.push_back(std::move(candidate));
  }
  std::ranges::stable_sort(candidates, {}, SizeOf);
  // One that is not built makes all not built that are in its text.
  const std::size_t together = best_.result.verdict == HuntVerdict::kDiffers ? kCandidates : 1;
  for (std::size_t at = 0; at < candidates.size() && !IsLate(); at += together) {
    const std::size_t end = std::min(at + together, candidates.size());
    std::vector<HuntProgram> some(candidates.begin() + static_cast<std::ptrdiff_t>(at),
                                  candidates.begin() + static_cast<std::ptrdiff_t>(end));
    if (Take(std::move(some))) return true;
  }
  return false;
}

// One output or one array of atomic operations, with what it needs.
void Reducer::KeepOneResult() {
  std::map<HuntBase, std::uint64_t> used;
  std::vector<HuntProgram> candidates;
  const bool is_differing = best_.result.verdict == HuntVerdict::kDiffers;
  for (std::size_t i = 0; i < best_.program.body.size(); ++i) {
    const HuntStmt& stmt = best_.program.body[i];
    if (!stmt.is_output) continue;
    const std::vector<HuntStore> stores = StoresOf(stmt, best_.program.items, &used);
    const bool is_wrong = std::ranges::any_of(best_.result.wrong, [&](const auto& one) {
      return std::ranges::any_of(stores, [&](const HuntStore& store) {
        const auto [type, first] = store;
        return one.first == type.base && one.second >= first &&
               one.second < first + best_.program.items * static_cast<std::uint64_t>(type.width);
      });
    });
    if (is_wrong || !is_differing) candidates.push_back(Slice(best_.program, i, ""));
  }
  for (const HuntCells& cells : best_.program.cells) {
    candidates.push_back(Slice(best_.program, best_.program.body.size(), cells.name));
  }
  std::erase_if(candidates, [](const HuntProgram& one) { return !HasOutput(one); });
  if (candidates.size() > 24) candidates.resize(24);
  Take(std::move(candidates));
}

// Statements, alone or in a row, and blocks around statements.
std::vector<Edit> Reducer::Removals(bool only_large) const {
  std::vector<Edit> edits;
  std::size_t number = 0;
  HuntProgram program = best_.program;
  ForEachBlock(&program, [&](Stmts* block) {
    const std::size_t count = block->size(), place = number++;
    for (std::size_t length = count; length >= 1; length /= 2) {
      if (only_large && length < 3) break;
      for (std::size_t first = 0; first + length <= count;
           first += std::max<std::size_t>(length / 2, 1)) {
        edits.emplace_back([=](HuntProgram* to) {
          return EditBlock(to, place, [&](Stmts* stmts) {
            const auto at = stmts->begin() + static_cast<std::ptrdiff_t>(first);
            stmts->erase(at, at + static_cast<std::ptrdiff_t>(length));
            return true;
          });
        });
      }
    }
    for (std::size_t i = 0; i < count && !only_large; ++i) {
      if (!(*block)[i].has_body) continue;
      for (const bool otherwise : {false, true}) {
        edits.emplace_back([=](HuntProgram* to) {
          return EditBlock(to, place, [&](Stmts* stmts) {
            HuntStmt removed = std::move((*stmts)[i]);
            Stmts& inner = otherwise ? removed.otherwise : removed.body;
            stmts->erase(stmts->begin() + static_cast<std::ptrdiff_t>(i));
            stmts->insert(stmts->begin() + static_cast<std::ptrdiff_t>(i), inner.begin(),
                          inner.end());
            return true;
          });
        });
      }
      edits.emplace_back([=](HuntProgram* to) {
        return EditBlock(to, place, [&](Stmts* stmts) {
          (*stmts)[i].otherwise.clear();
          return true;
        });
      });
    }
  });
  return edits;
}

// Operands in place of operations, constants in place of both.
void Reducer::AddExprEdits(std::vector<Edit>* edits) const {
  HuntProgram program = best_.program;
  std::size_t number = 0;
  ForEachExpr(&program, [&](HuntExpr* expr) {
    const std::size_t place = number++;
    if (!expr->judged.empty()) return;  // it stays what the oracle judges
    for (std::size_t k = 0; k < expr->kids.size(); ++k) {
      if (expr->kids[k].type != expr->type) continue;
      edits->emplace_back([=](HuntProgram* to) {
        return EditExpr(to, place, [&](HuntExpr* at) {
          HuntExpr kid = at->kids[k];
          *at = std::move(kid);
          return true;
        });
      });
    }
    for (const std::int64_t value : {0, 1, 8, 3, -1}) {
      edits->emplace_back([=](HuntProgram* to) {
        return EditExpr(to, place, [&](HuntExpr* at) {
          *at = HuntConstant(at->type, value);
          return true;
        });
      });
    }
    // A load in place of an operation: it has other values for each work-item.
    if (!expr->kids.empty()) {
      edits->emplace_back([=](HuntProgram* to) {
        return EditExpr(to, place, [&](HuntExpr* at) {
          const HuntType type = at->type;
          const std::string from = fmt::format("in_{}", NameOf(type.base));
          *at = HuntExpr{type, type.width == 1 ? from + "[i]"
                                               : fmt::format("vload{}(i, {})", type.width, from)};
          return true;
        });
      });
    }
  });
}

// A variable that is used once, in place.
void Reducer::AddInlining(std::vector<Edit>* edits) const {
  HuntProgram program = best_.program;
  std::size_t number = 0;
  ForEachBlock(&program, [&](Stmts* block) {
    const std::size_t place = number++;
    for (std::size_t i = 0; i < block->size(); ++i) {
      const HuntStmt& stmt = (*block)[i];
      if (stmt.declares.empty() || stmt.exprs.size() != 1) continue;
      const std::string name = stmt.declares;
      const HuntExpr value = stmt.exprs[0];
      if (stmt.head != fmt::format("{} {} = $0;", NameOf(value.type), name)) continue;
      edits->emplace_back([=](HuntProgram* to) {
        if (!EditBlock(to, place, [&](Stmts* stmts) {
              stmts->erase(stmts->begin() + static_cast<std::ptrdiff_t>(i));
              return true;
            })) {
          return false;
        }
        ForEachExpr(to, [&](HuntExpr* expr) {
          if (expr->kids.empty() && expr->form == name) *expr = value;
        });
        return true;
      });
    }
  });
}

std::vector<Edit> Reducer::Simplifications() const {
  std::vector<Edit> edits;
  AddInlining(&edits);
  AddExprEdits(&edits);
  edits.emplace_back([](HuntProgram* to) { return FillPlainly(to, [](auto&) { return true; }); });
  return edits;
}

// Parts that are not printed.
void Reducer::RemoveUnused() {
  const std::string text = Printed(best_.program);
  std::erase_if(best_.program.parts, [&](const HuntPart& part) {
    std::string name = part.name;
    std::erase(name, '@');
    return !HasWord(text, name);
  });
}

// Few work-items, of which the interesting ones may be any: from small to large.
void Reducer::SmallerLaunch() {
  constexpr std::uint32_t kItems[] = {1, 2, 4, 8, 16, 32};
  for (const std::uint32_t items : kItems) {
    if (items >= best_.program.items || IsLate()) return;
    HuntProgram candidate = best_.program;
    candidate.items = items;
    const auto results = trier_.Try({candidate}, best_.setting);
    ++best_.tried;
    if (!IsSame(results[0])) continue;
    best_.program = std::move(candidate);
    best_.result = results[0];
    return;
  }
}

void Collect(const Stmts& stmts, std::set<std::string>* causes);

void CollectExpr(const HuntExpr& expr, std::set<std::string>* causes) {
  if (!expr.cause.empty()) causes->insert(expr.cause);
  for (const HuntExpr& kid : expr.kids) CollectExpr(kid, causes);
}

void Collect(const HuntStmt& stmt, std::set<std::string>* causes) {
  if (!stmt.cause.empty()) causes->insert(stmt.cause);
  for (const HuntExpr& expr : stmt.exprs) CollectExpr(expr, causes);
  Collect(stmt.body, causes);
  Collect(stmt.otherwise, causes);
}

void Collect(const Stmts& stmts, std::set<std::string>* causes) {
  for (const HuntStmt& stmt : stmts) Collect(stmt, causes);
}

bool UsesCause(const HuntExpr& expr, const std::set<std::string>& causes) {
  return causes.contains(expr.cause) || std::ranges::any_of(expr.kids, [&](const HuntExpr& kid) {
           return UsesCause(kid, causes);
         });
}

void RemoveFrom(Stmts* stmts, const std::set<std::string>& causes) {
  std::erase_if(*stmts, [&](const HuntStmt& stmt) { return causes.contains(stmt.cause); });
  for (HuntStmt& stmt : *stmts) {
    RemoveFrom(&stmt.body, causes);
    RemoveFrom(&stmt.otherwise, causes);
  }
}

}  // namespace

HuntReduction ReduceProgram(HuntProgram program, HuntSetting setting, HuntResult result,
                            HuntTrier* trier, std::chrono::steady_clock::time_point deadline) {
  return Reducer({std::move(program), std::move(setting), std::move(result)}, trier, deadline)
      .Run();
}

std::vector<std::string> CausesOf(const HuntProgram& program) {
  std::set<std::string> causes;
  Collect(program.body, &causes);
  // Of parts, only what is still used.
  const std::string text = Printed(program);
  for (const HuntPart& part : program.parts) {
    std::string name = part.name;
    std::erase(name, '@');
    if (HasWord(text, name)) Collect(part.text, &causes);
  }
  for (const HuntCells& cells : program.cells) {
    if (cells.pipe && !cells.pipe->cause.empty() && HasWord(text, cells.name))
      causes.insert(cells.pipe->cause);
  }
  return {causes.begin(), causes.end()};
}

HuntProgram Without(const HuntProgram& program, const std::set<std::string>& causes) {
  HuntProgram less = program;
  // The output of a value of such a cause, and what such a statement does.
  std::erase_if(less.body, [&](const HuntStmt& stmt) {
    return stmt.is_output && UsesCause(stmt.exprs[0], causes);
  });
  RemoveFrom(&less.body, causes);
  for (HuntPart& part : less.parts) RemoveFrom(&part.text.body, causes);
  ForEachExpr(&less, [&](HuntExpr* expr) {
    if (!causes.contains(expr->cause)) return;
    const auto kid = std::ranges::find(expr->kids, expr->type, &HuntExpr::type);
    HuntExpr other = kid != expr->kids.end() ? *kid : HuntConstant(expr->type, 1);
    *expr = std::move(other);
  });
  FillPlainly(&less, [&](const std::string& cause) { return causes.contains(cause); });
  return less;
}

}  // namespace assay::tools
