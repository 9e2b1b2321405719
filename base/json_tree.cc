#include "base/json_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

namespace assay::base {
namespace {

constexpr std::size_t kMaxDepth = 64;  // the tree is walked and destroyed recursively

// The callbacks of nlohmann's parser; false ends the parse.
class TreeBuilder {
 public:
  explicit TreeBuilder(const Budget& budget) : budget_(budget) {}

  using Json = nlohmann::json;
  using Kind = JsonTree::Kind;

  bool null() { return Leaf(Kind::kNull, "null"); }
  bool boolean(bool value) { return Leaf(Kind::kBool, value ? "true" : "false"); }
  // A zero that comes as a signed integer was written "-0".
  bool number_integer(Json::number_integer_t value) {
    return Leaf(Kind::kNumber, value == 0 ? "-0" : fmt::format("{}", value));
  }
  bool number_unsigned(Json::number_unsigned_t value) {
    return Leaf(Kind::kNumber, fmt::format("{}", value));
  }
  bool number_float(Json::number_float_t, const std::string& text) {
    return Leaf(Kind::kNumber, text);
  }
  bool string(std::string& text) { return Leaf(Kind::kString, text); }
  bool binary(Json::binary_t&) { return false; }  // no such thing in JSON's text
  bool start_object(std::size_t) { return Open(Kind::kObject); }
  bool start_array(std::size_t) { return Open(Kind::kArray); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }
  bool key(std::string& name) {
    if (!seen_.back().insert(name).second) {
      error_ = fmt::format("the key '{}' is given twice in one object", name);
      return false;
    }
    open_.back().keys.push_back(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& exception) {
    const std::string_view message = exception.what();
    const std::size_t prefix = message.find("] ");  // the library's own number
    error_ = prefix == std::string_view::npos ? message : message.substr(prefix + 2);
    return false;
  }

  Expected<JsonTree> Finish(bool parsed) {
    if (reached_) return budget_.Reached();
    if (!parsed) return Fail(ErrorKind::kUsage, error_);
    return std::move(root_);
  }

 private:
  bool Leaf(Kind kind, std::string text) {
    Add({.kind = kind, .text = std::move(text), .keys = {}, .items = {}});
    return IsWithinBudget();
  }
  void Add(JsonTree tree) {
    if (open_.empty()) {
      root_ = std::move(tree);
    } else {
      open_.back().items.push_back(std::move(tree));
    }
  }
  bool Open(Kind kind) {
    if (open_.size() == kMaxDepth) {
      error_ = fmt::format("arrays and objects are nested more than {} deep", kMaxDepth);
      return false;
    }
    open_.push_back({.kind = kind, .text = {}, .keys = {}, .items = {}});
    seen_.emplace_back();
    return IsWithinBudget();
  }
  bool Close() {
    JsonTree closed = std::move(open_.back());
    open_.pop_back();
    seen_.pop_back();
    Add(std::move(closed));
    return true;
  }

  bool IsWithinBudget() {
    constexpr std::uint64_t kCheckEvery = 1024;
    if (++added_ % kCheckEvery == 0) reached_ = budget_.IsExceeded();
    return !reached_;
  }

  const Budget& budget_;
  std::uint64_t added_ = 0;
  bool reached_ = false;
  JsonTree root_;
  std::vector<JsonTree> open_;
  std::vector<std::unordered_set<std::string>> seen_;  // keys of the open objects
  std::string error_;
};

}  // namespace

const JsonTree* JsonTree::Find(std::string_view key) const {
  const auto found = std::find(keys.begin(), keys.end(), key);
  return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

Expected<JsonTree> ParseJsonTree(std::string_view json, const Budget& budget) {
  if (json.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return Fail(ErrorKind::kUsage, "the file is empty");
  }
  TreeBuilder builder(budget);
  return builder.Finish(nlohmann::json::sax_parse(json, &builder));
}

}  // namespace assay::base
