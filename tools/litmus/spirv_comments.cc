#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "tools/litmus/test.h"

namespace assay::tools::litmus {
namespace {

// Elements of a buffer that no @Input fills, and bytes of local memory of an argument.
constexpr std::uint64_t kDefaultBytes = 4096;

// One instruction of a module's text form: "%A = OpFunctionParameter %_ptr_Workgroup_uint".
struct Line {
  std::string_view result;  // "%A"
  std::string_view opcode;
  std::vector<std::string_view> operands;
};

Line Split(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos || text[begin] == ';') break;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(" \t\r"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  Line line;
  if (words.size() > 2 && words[1] == "=") {
    line.result = words[0];
    words.erase(words.begin(), words.begin() + 2);
  }
  if (words.empty()) return line;
  line.opcode = words[0];
  line.operands.assign(words.begin() + 1, words.end());
  return line;
}

// The kernel's parameters, and the types that they need.
struct Module {
  std::string kernel;
  std::string_view function;
  std::map<std::string_view, Line> types;               // by result
  std::map<std::string_view, std::uint64_t> constants;  // by result
  std::vector<Line> parameters;                         // of the kernel

  // Of numbers, and of arrays and structures of these; 0: unknown.
  std::uint64_t SizeOf(std::string_view type) const {
    const auto found = types.find(type);
    if (found == types.end() || found->second.operands.empty()) return 0;
    const Line& line = found->second;
    if (line.opcode == "OpTypeInt" || line.opcode == "OpTypeFloat") {
      return std::strtoull(std::string(line.operands[0]).c_str(), nullptr, 10) / 8;
    }
    if (line.opcode == "OpTypeArray" && line.operands.size() > 1) {
      const auto length = constants.find(line.operands[1]);
      return length == constants.end() ? 0 : SizeOf(line.operands[0]) * length->second;
    }
    if (line.opcode != "OpTypeStruct") return 0;
    std::uint64_t bytes = 0, largest = 1;
    for (const std::string_view member : line.operands) {
      const std::uint64_t size = SizeOf(member);
      if (size == 0) return 0;
      const std::uint64_t alignment = AlignmentOf(member);
      bytes = (bytes + alignment - 1) / alignment * alignment + size;
      largest = std::max(largest, alignment);
    }
    return (bytes + largest - 1) / largest * largest;
  }
  std::uint64_t AlignmentOf(std::string_view type) const {
    const Line& line = types.at(type);
    if (line.opcode == "OpTypeArray") return AlignmentOf(line.operands[0]);
    if (line.opcode != "OpTypeStruct") return SizeOf(type);
    std::uint64_t largest = 1;
    for (const std::string_view member : line.operands) {
      largest = std::max(largest, AlignmentOf(member));
    }
    return largest;
  }

  // The scalar of which a type is made, and the type's operands; "" where it is no number.
  std::string_view Scalar(std::string_view type) const {
    const auto found = types.find(type);
    if (found == types.end()) return {};
    const std::string_view opcode = found->second.opcode;
    if (opcode == "OpTypeInt" || opcode == "OpTypeFloat") return type;
    const bool is_made = opcode == "OpTypeVector" || opcode == "OpTypeArray";
    return is_made && !found->second.operands.empty() ? Scalar(found->second.operands[0])
                                                      : std::string_view();
  }
};

// "int", "uchar", "float": the type of an argument of `assay run`; "" where there is none.
std::string ArgumentType(const Module& module, std::string_view type) {
  const std::string_view scalar = module.Scalar(type);
  if (scalar.empty()) return "";
  const Line& line = module.types.at(scalar);
  const std::string_view bits = line.operands.empty() ? std::string_view() : line.operands[0];
  if (line.opcode == "OpTypeFloat")
    return bits == "64" ? "double" : bits == "16" ? "half" : "float";
  return bits == "8" ? "char" : bits == "16" ? "short" : bits == "64" ? "long" : "int";
}

int BitsOfSpirvType(std::string_view type) {
  if (type == "long" || type == "double") return 64;
  return type == "char" ? 8 : type == "short" || type == "half" ? 16 : 32;
}

class CommentReader {
 public:
  CommentReader(std::string_view text, const std::string& path) : path_(path) {
    test_.path = path;
    int number = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++number;
      ReadLine(text.substr(0, end), number);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  Expected<std::optional<Test>> Read() {
    if (comments_.empty()) return std::optional<Test>();
    for (const Comment& comment : comments_) {
      if (auto read = ReadComment(comment); !read) return tl::unexpected(read.error());
    }
    if (auto read = Describe(); !read) return tl::unexpected(read.error());
    if (test_.question && has_filter_) test_.question->filter = std::move(filter_);
    test_.name = test_.kernel = module_.kernel;
    return std::optional(std::move(test_));
  }

 private:
  struct Comment {
    std::string_view word;  // "Config"
    std::string_view text;
    int line = 1;
  };

  void ReadLine(std::string_view line, int number) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return;
    line.remove_prefix(begin);
    if (line[0] == ';') {
      const std::size_t at = line.find_first_not_of("; \t");
      const std::size_t colon = line.find(':');
      if (at == std::string_view::npos || line[at] != '@' || colon == std::string_view::npos)
        return;
      comments_.push_back({line.substr(at + 1, colon - at - 1), line.substr(colon + 1), number});
      return;
    }
    Line parts = Split(line);
    if (parts.opcode == "OpEntryPoint" && module_.function.empty() && parts.operands.size() > 2) {
      module_.function = parts.operands[1];
      const std::string_view name = parts.operands[2];
      if (name.size() > 2) module_.kernel = name.substr(1, name.size() - 2);
    } else if (parts.opcode.starts_with("OpType")) {
      module_.types[parts.result] = std::move(parts);
    } else if (parts.opcode == "OpConstant" && parts.operands.size() > 1) {
      module_.constants[parts.result] =
          std::strtoull(std::string(parts.operands[1]).c_str(), nullptr, 10);
    } else if (parts.opcode == "OpFunction") {
      is_kernel_ = parts.result == module_.function;
    } else if (parts.opcode == "OpFunctionParameter" && is_kernel_) {
      module_.parameters.push_back(std::move(parts));
    }
  }

  Expected<void> ReadComment(const Comment& comment) {
    Scanner scanner(comment.text, path_, Language::kLitmus, comment.line);
    if (comment.word == "Config") return ReadConfig(&scanner);
    if (comment.word == "Input") return ReadInput(&scanner);
    if (comment.word == "Output") return ReadOutput(&scanner, comment);
    if (comment.word == "Filter") {
      auto filter = Condition::Read(&scanner, &locations_);
      if (!filter) return tl::unexpected(filter.error());
      filter_ = std::move(*filter);
      has_filter_ = true;
      return {};
    }
    return scanner.Wrong(fmt::format(
        "@{} is unknown; there are @Config, @Input, @Output and @Filter", comment.word));
  }

  // Work-items of a sub-group, sub-groups of a work-group, work-groups.
  Expected<void> ReadConfig(Scanner* scanner) {
    std::vector<std::uint64_t> sizes;
    do {
      const std::string text(scanner->Take().text);
      const unsigned long long size = std::strtoull(text.c_str(), nullptr, 10);
      constexpr std::uint64_t kMost = 1 << 20;
      if (size == 0 || size > kMost) {
        return scanner->Wrong(
            "write @Config: WORK-ITEMS OF A SUB-GROUP, SUB-GROUPS OF A WORK-GROUP, WORK-GROUPS");
      }
      sizes.push_back(size);
    } while (scanner->TakeIf(","));
    if (sizes.size() != 3) return scanner->Wrong("@Config has three numbers: @Config: 2, 1, 1");
    test_.sub_group_size = static_cast<std::uint32_t>(sizes[0]);
    test_.group_size = sizes[0] * sizes[1];
    test_.groups = sizes[2];
    return {};
  }

  // "%A = {1, {2, 3}}": the scalars in order.
  Expected<void> ReadInput(Scanner* scanner) {
    do {
      const std::string name(scanner->Take().text);
      if (!scanner->TakeIf("=")) return scanner->Wrong("write @Input: %A = {0, 1}");
      std::vector<std::string>& values = inputs_[name];
      int depth = 0;
      do {
        if (scanner->TakeIf("{")) {
          ++depth;
        } else if (scanner->TakeIf("}")) {
          --depth;
        } else if (!(depth > 0 && scanner->TakeIf(","))) {
          std::string value = scanner->TakeIf("-") ? "-" : "";
          if (scanner->Peek().kind == TokenKind::kEnd) return scanner->Wrong("a '}' is missing");
          value += scanner->Take().text;
          values.push_back(value == "true" ? "1" : value == "false" ? "0" : value);
        }
      } while (depth > 0);
    } while (scanner->TakeIf(","));
    return {};
  }

  // Several "forall" together claim each of them.
  Expected<void> ReadOutput(Scanner* scanner, const Comment& comment) {
    Question question{.condition = {}, .filter = {}, .text = {}, .line = comment.line};
    const bool is_negated = scanner->TakeIf("not") || scanner->TakeIf("~");
    const bool is_forall = !is_negated && scanner->TakeIf("forall");
    if (!is_forall && !scanner->TakeIf("exists")) {
      return scanner->Wrong("write @Output: forall (...), exists (...) or not exists (...)");
    }
    question.quantifier = is_forall    ? Quantifier::kForall
                          : is_negated ? Quantifier::kNotExists
                                       : Quantifier::kExists;
    auto condition = Condition::Read(scanner, &locations_);
    if (!condition) return tl::unexpected(condition.error());
    question.condition = std::move(*condition);
    const std::size_t begin = comment.text.find_first_not_of(" \t");
    question.text = comment.text.substr(begin, comment.text.find_last_not_of(" \t\r") + 1 - begin);
    if (!test_.question) {
      test_.question = std::move(question);
      return {};
    }
    if (!is_forall || test_.question->quantifier != Quantifier::kForall) {
      return scanner->Wrong("several @Output must all be forall");
    }
    test_.question->condition =
        Condition::Both(std::move(test_.question->condition), std::move(question.condition));
    test_.question->text += ", " + question.text;
    return {};
  }

  Expected<void> Describe() {
    for (const Line& parameter : module_.parameters) {
      auto argument = ArgumentOf(parameter);
      if (!argument) return tl::unexpected(argument.error());
      test_.arguments.push_back(std::move(*argument));
    }
    for (const auto& [name, values] : inputs_) {
      if (PlaceOf(name)) continue;
      test_.warnings.push_back(
          fmt::format("{}: @Input {}: the kernel has no such parameter", path_, name));
    }
    for (const Location& location : locations_) {
      const auto place = PlaceOf(location.name);
      if (!place || location.process) {
        return Fail(ErrorKind::kUsage, fmt::format("{}:{}: {} is no parameter of the kernel", path_,
                                                   location.line, location.Text()));
      }
      test_.shown.push_back({.name = location.Text(),
                             .argument = *place,
                             .element = location.element,
                             .bits = BitsOfSpirvType(TypeAt(*place))});
    }
    return {};
  }

  std::optional<std::size_t> PlaceOf(std::string_view name) const {
    const auto found = std::ranges::find(module_.parameters, name, &Line::result);
    if (found == module_.parameters.end()) return std::nullopt;
    return static_cast<std::size_t>(found - module_.parameters.begin());
  }

  // What a parameter points to.
  std::string TypeAt(std::size_t place) const {
    const auto pointer = module_.types.find(module_.parameters[place].operands[0]);
    return pointer == module_.types.end() || pointer->second.operands.size() < 2
               ? ""
               : ArgumentType(module_, pointer->second.operands[1]);
  }

  Expected<std::string> ArgumentOf(const Line& parameter) const {
    const auto unsupported = [&](std::string_view what) {
      return Fail(ErrorKind::kUnsupported,
                  fmt::format("{}: {} is {}; give the arguments with -g, -l and -a", path_,
                              parameter.result, what));
    };
    if (parameter.operands.empty()) return unsupported("damaged");
    const auto input = inputs_.find(std::string(parameter.result));
    const auto type = module_.types.find(parameter.operands[0]);
    if (type == module_.types.end()) return unsupported("of an unknown type");
    if (type->second.opcode != "OpTypePointer") {
      const std::string scalar = ArgumentType(module_, parameter.operands[0]);
      if (scalar.empty()) return unsupported("no number and no pointer");
      const bool is_given = input != inputs_.end() && !input->second.empty();
      return fmt::format("{}={}", scalar, is_given ? input->second[0] : "0");
    }
    const std::string_view storage = type->second.operands[0];
    if (storage == "Workgroup") return fmt::format("local({})", kDefaultBytes);
    // A structure by value.
    if (storage == "Function") {
      const std::uint64_t bytes = module_.SizeOf(type->second.operands[1]);
      if (bytes == 0) return unsupported("of a type without a size");
      return fmt::format("bytes({:0>{}})", "", 2 * bytes);
    }
    if (storage != "CrossWorkgroup" && storage != "UniformConstant") {
      return unsupported("a pointer that is neither to global nor to local memory");
    }
    const std::string element = ArgumentType(module_, type->second.operands[1]);
    if (input == inputs_.end()) {
      return element.empty() ? fmt::format("uchar[{}]=0", kDefaultBytes)
                             : fmt::format("{}[{}]=0", element, kDefaultBytes / 4);
    }
    if (element.empty()) return unsupported("a pointer to what is not made of one type of number");
    return fmt::format("{}[{}]={}", element, input->second.size(), fmt::join(input->second, ","));
  }

  std::string path_;
  Test test_;
  Module module_;
  bool is_kernel_ = false;  // the function that is being read
  std::vector<Comment> comments_;
  std::map<std::string, std::vector<std::string>> inputs_;
  std::vector<Location> locations_;
  Condition filter_;
  bool has_filter_ = false;
};

}  // namespace

Expected<std::optional<Test>> ReadSpirvComments(std::string_view text, const std::string& path) {
  return CommentReader(text, path).Read();
}

}  // namespace assay::tools::litmus
