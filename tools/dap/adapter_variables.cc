// Scopes, and variables with their parts.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "tools/dap/adapter.h"

namespace assay::tools::dap {
namespace {

// Elements in one list, for clients that do not ask for pages.
constexpr std::uint64_t kMostElements = 1000;
// Elements in a page; nothing else is answered until they are there.
constexpr std::uint64_t kMostInPage = 100000;
// What the protocol can count; what is behind it is to be reached by expressions.
constexpr std::uint64_t kMostIndexed = INT32_MAX;
// As many children the server names; then they have to be counted.
constexpr std::size_t kMostChildren = 1000;

// The number in "((uint)42ul)", which stands for a scalar or a pointer.
std::uint64_t BitsOf(const DebugMessage& value) {
  const std::string again = TextOf(value, "again");
  const std::size_t paren = again.rfind(')', again.size() - 2);
  if (again.empty() || paren == std::string::npos) return 0;
  return std::strtoull(again.c_str() + paren + 1, nullptr, 10);
}

// What an operator can be put behind.
std::string Primary(const std::string& expression) {
  const bool is_one = std::ranges::all_of(expression, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_.[]%$").find(c) != std::string_view::npos;
  });
  return is_one ? expression : fmt::format("({})", expression);
}

}  // namespace

// --- handles ----------------------------------------------------------------------------------

std::int64_t Adapter::NewContainer(Container container) {
  const std::int64_t handle = next_handle_++;
  containers_[handle] = std::move(container);
  return handle;
}

Expected<Adapter::Container> Adapter::ContainerOf(const Arguments& arguments) const {
  const auto reference = arguments.Integer("variablesReference");
  if (!reference) return tl::unexpected(reference.error());
  const auto found = containers_.find(*reference);
  if (found != containers_.end()) return found->second;
  return Fail(ErrorKind::kUsage, fmt::format("no variables {}; they are of one stop", *reference));
}

Adapter::Body Adapter::Scopes(const Arguments& arguments) {
  if (!arguments.Has("frameId")) return Fail(ErrorKind::kUsage, "'scopes' needs 'frameId'");
  const auto frame = FrameOf(arguments);
  if (!frame) return tl::unexpected(frame.error());
  using Kind = Container::Kind;
  struct Scope {
    Kind kind;
    const char* name;
    const char* hint;
    bool expensive;
  };
  constexpr Scope kScopes[] = {{Kind::kArguments, "Arguments", "arguments", false},
                               {Kind::kLocals, "Locals", "locals", false},
                               {Kind::kGlobals, "Globals", "globals", false},
                               {Kind::kRegisters, "SPIR-V values", "registers", true},
                               {Kind::kObjects, "Memory objects", "", true}};
  OrderedJson scopes = OrderedJson::array();
  for (const Scope& scope : kScopes) {
    OrderedJson one{{"name", scope.name},
                    {"variablesReference", NewContainer({.kind = scope.kind, .frame = *frame})},
                    {"expensive", scope.expensive}};
    if (*scope.hint != '\0') one["presentationHint"] = scope.hint;
    scopes.push_back(std::move(one));
  }
  return OrderedJson{{"scopes", std::move(scopes)}};
}

// --- parts of a value -------------------------------------------------------------------------

Adapter::Parts Adapter::PartsOf(const FrameHandle& frame, const std::string& expression,
                                const DebugMessage& value) const {
  Parts parts;
  const DebugMessage children = value.value("children", DebugMessage::array());
  if (children.empty()) return parts;
  const std::string first = TextOf(children.at(0), "name");
  if (first != "*" && !first.starts_with("[")) {
    for (const DebugMessage& child : children) {
      const std::string name = TextOf(child, "name");
      parts.named.emplace_back(name, fmt::format("{}.{}", Primary(expression), name));
    }
    return parts;
  }
  DebugMessage question = About("evaluate", frame);
  if (first.starts_with("[")) {
    parts.indexed = Primary(expression);
    parts.count = children.size();
    if (children.size() < kMostChildren) return parts;
    question["expression"] = fmt::format("sizeof({0}) / sizeof(({0})[0])", expression);
    const auto count = session_->Ask(question);
    if (count) parts.count = BitsOf(*count);
    return parts;
  }
  // A pointer: the elements from there to the end of the object.
  question["expression"] = fmt::format("sizeof(*({}))", expression);
  const auto size = session_->Ask(question);
  const std::uint64_t bytes = size ? BitsOf(*size) : 0;
  const std::uint64_t address = BitsOf(value);
  const auto objects = session_->Ask({{"do", "objects"}});
  if (objects && bytes != 0) {
    for (const DebugMessage& object : objects->at("objects")) {
      const std::uint64_t begin = object.at("address");
      const std::uint64_t length = object.at("bytes");
      if (address < begin || address - begin >= length) continue;
      parts.indexed = Primary(expression);
      parts.count = (length - (address - begin)) / bytes;
    }
  }
  if (parts.count == 0) parts.named.emplace_back("*", fmt::format("*{}", Primary(expression)));
  return parts;
}

Expected<Adapter::Parts> Adapter::PartsOf(const FrameHandle& frame,
                                          const std::string& expression) const {
  DebugMessage question = About("evaluate", frame);
  question["expression"] = expression;
  question["limit"] = 1;
  const auto value = session_->Ask(question);
  if (!value) return tl::unexpected(value.error());
  return PartsOf(frame, expression, *value);
}

// Where a value is, and what it is made of.
void Adapter::Describe(const FrameHandle& frame, const std::string& expression,
                       const DebugMessage& value, OrderedJson* variable) {
  if (client_.knows_types) (*variable)["type"] = value.at("type");
  (*variable)["variablesReference"] = 0;
  const Parts parts = PartsOf(frame, expression, value);
  if (!parts.named.empty() || parts.count != 0) {
    (*variable)["variablesReference"] = NewContainer(
        {.kind = Container::Kind::kExpression, .frame = frame, .expression = expression});
    if (!parts.named.empty()) (*variable)["namedVariables"] = parts.named.size();
    if (parts.count != 0) (*variable)["indexedVariables"] = std::min(parts.count, kMostIndexed);
  }
  if (!client_.knows_memory) return;
  // Of a pointer what it points to, which is what people want to see.
  const bool is_pointer = TextOf(value, "type").ends_with("*");
  if (is_pointer && BitsOf(value) != 0) {
    (*variable)["memoryReference"] = ReferenceTo(frame, BitsOf(value));
  } else if (value.contains("address")) {
    (*variable)["memoryReference"] = ReferenceTo(frame, value.at("address"));
  }
}

OrderedJson Adapter::Variable(const FrameHandle& frame, const std::string& name,
                              const std::string& expression, const std::string& format) {
  DebugMessage question = About("evaluate", frame);
  question["expression"] = expression;
  question["format"] = format;
  const auto value = session_->Ask(question);
  OrderedJson one{{"name", name}};
  if (!value) {
    // Of a part that is nowhere the column of its expression says nothing.
    constexpr std::string_view kLost = "optimized out";
    const std::string& why = value.error().message;
    one["value"] = fmt::format("<{}>", why.ends_with(kLost) ? kLost : std::string_view(why));
    one["variablesReference"] = 0;
    return one;
  }
  one["value"] = value->at("value");
  one["evaluateName"] = expression;
  Describe(frame, expression, *value, &one);
  return one;
}

// --- lists ------------------------------------------------------------------------------------

// Elements of an array or behind a pointer.  Where there are too many for a list, and the client
// asks for no page, ranges of them stand for them.
Expected<OrderedJson> Adapter::Elements(const Container& container, const Parts& parts,
                                        const Page& page) {
  OrderedJson list = OrderedJson::array();
  const bool is_range = container.kind == Container::Kind::kRange;
  const std::uint64_t first = is_range ? container.first : 0;
  const std::uint64_t end =
      is_range ? std::min(parts.count, container.first + container.count) : parts.count;
  std::uint64_t begin = first;
  std::uint64_t stop = end;
  if (page.start > 0) begin = std::min(end, first + static_cast<std::uint64_t>(page.start));
  if (page.count > 0) stop = std::min(end, begin + static_cast<std::uint64_t>(page.count));
  if (page.count > 0 && stop - begin > kMostInPage) {
    return Fail(ErrorKind::kUsage,
                fmt::format("a page of {} elements: ask for at most {} ('count') at a time",
                            stop - begin, kMostInPage));
  }
  if (page.count == 0 && stop - begin > kMostElements) {
    std::uint64_t step = kMostElements;
    while ((stop - begin) / step > kMostElements) step *= kMostElements;
    for (std::uint64_t at = begin; at < stop; at += step) {
      const std::uint64_t count = std::min(step, stop - at);
      list.push_back({{"name", fmt::format("[{}..{}]", at, at + count - 1)},
                      {"value", ""},
                      {"variablesReference", NewContainer({.kind = Container::Kind::kRange,
                                                           .frame = container.frame,
                                                           .expression = container.expression,
                                                           .first = at,
                                                           .count = count})},
                      {"indexedVariables", count}});
    }
    return list;
  }
  for (std::uint64_t at = begin; at < stop; ++at) {
    list.push_back(Variable(container.frame, fmt::format("[{}]", at),
                            fmt::format("{}[{}]", parts.indexed, at), page.format));
  }
  return list;
}

Expected<OrderedJson> Adapter::ScopeVariables(const Container& container, const Page& page) {
  using Kind = Container::Kind;
  const char* what = container.kind == Kind::kGlobals     ? "globals"
                     : container.kind == Kind::kRegisters ? "registers"
                                                          : "variables";
  DebugMessage question = About(what, container.frame);
  question["limit"] = 1;
  const auto answer = session_->Ask(question);
  if (!answer) return tl::unexpected(answer.error());
  OrderedJson list = OrderedJson::array();
  std::set<std::string> seen;
  std::int64_t place = 0;
  for (const DebugMessage& one : answer->at("variables")) {
    if (one.contains("argument") &&
        one.at("argument").get<bool>() != (container.kind == Kind::kArguments)) {
      continue;
    }
    if (!page.Has(place++)) {
      seen.insert(TextOf(one, "name"));
      continue;
    }
    const std::string name = TextOf(one, "name");
    const std::string called = TextOf(one, "called");
    const bool is_hidden = !seen.insert(name).second;
    if (!one.contains("missing") && !is_hidden) {
      OrderedJson variable = Variable(container.frame, name, name, page.format);
      if (!called.empty() && client_.knows_types)
        variable["type"] = fmt::format("{} {}", TextOf(one, "type"), called);
      list.push_back(std::move(variable));
      continue;
    }
    // An inner variable hides it, or it is nowhere.
    OrderedJson variable{{"name", is_hidden ? name + " (outer)" : name},
                         {"value", one.contains("missing") ? "<" + TextOf(one, "missing") + ">"
                                                           : TextOf(one, "value")},
                         {"variablesReference", 0}};
    if (client_.knows_types) variable["type"] = TextOf(one, "type");
    list.push_back(std::move(variable));
  }
  return list;
}

Expected<OrderedJson> Adapter::ObjectVariables(const Container& container, const Page& page) {
  const auto answer = session_->Ask({{"do", "objects"}});
  if (!answer) return tl::unexpected(answer.error());
  OrderedJson list = OrderedJson::array();
  std::int64_t place = 0;
  for (const DebugMessage& object : answer->at("objects")) {
    if (!page.Has(place++)) continue;
    const std::uint64_t address = object.at("address");
    const std::uint64_t bytes = object.at("bytes");
    OrderedJson one{
        {"name", TextOf(object, "name")},
        {"value", fmt::format("{} bytes of {} memory at {:#x}{}", bytes, TextOf(object, "space"),
                              address, object.at("writable").get<bool>() ? "" : ", read-only")},
        {"variablesReference", 0}};
    if (client_.knows_memory) one["memoryReference"] = fmt::format("{:#x}", address);
    if (bytes != 0) {
      one["variablesReference"] =
          NewContainer({.kind = Container::Kind::kExpression,
                        .frame = container.frame,
                        .expression = fmt::format("(uchar*){}ul", address)});
      one["indexedVariables"] = std::min(bytes, kMostIndexed);
    }
    list.push_back(std::move(one));
  }
  return list;
}

Adapter::Body Adapter::Variables(const Arguments& arguments) {
  const auto container = ContainerOf(arguments);
  const auto start = arguments.Integer("start", 0);
  const auto count = arguments.Integer("count", 0);
  const auto filter = arguments.Text("filter", "");
  const auto format = arguments.Format();
  if (!container) return tl::unexpected(container.error());
  if (!start) return tl::unexpected(start.error());
  if (!count) return tl::unexpected(count.error());
  if (!filter) return tl::unexpected(filter.error());
  if (!format) return tl::unexpected(format.error());
  if (*start < 0 || *count < 0) {
    return Fail(ErrorKind::kUsage, "'start' and 'count' must not be negative");
  }
  if (!filter->empty() && *filter != "indexed" && *filter != "named") {
    return Fail(ErrorKind::kUsage, "'filter' must be indexed or named");
  }
  const Page page{*start, *count, *filter, *format};
  using Kind = Container::Kind;
  Expected<OrderedJson> list = OrderedJson::array();
  if (container->kind != Kind::kExpression && container->kind != Kind::kRange) {
    const bool is_objects = container->kind == Kind::kObjects;
    if (page.filter != "indexed") {
      list = is_objects ? ObjectVariables(*container, page) : ScopeVariables(*container, page);
    }
  } else {
    const auto parts = PartsOf(container->frame, container->expression);
    if (!parts) return tl::unexpected(parts.error());
    if (parts->count != 0 && page.filter != "named") list = Elements(*container, *parts, page);
    if (!list) return tl::unexpected(list.error());
    std::int64_t place = 0;
    for (const auto& [name, expression] : parts->named) {
      if (page.filter == "indexed" || !page.Has(place++)) continue;
      list->push_back(Variable(container->frame, name, expression, page.format));
    }
  }
  if (!list) return tl::unexpected(list.error());
  return OrderedJson{{"variables", std::move(*list)}};
}

// What a variable of a list is, as an expression.
Expected<std::string> Adapter::ExpressionOf(const Container& container,
                                            const std::string& name) const {
  using Kind = Container::Kind;
  const auto none = [&] {
    return Fail(ErrorKind::kUsage, fmt::format("no variable '{}' there", name));
  };
  if (container.kind == Kind::kObjects) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is an object in memory; name its bytes", name));
  }
  if (container.kind != Kind::kExpression && container.kind != Kind::kRange) {
    const bool is_name = !name.empty() && std::ranges::all_of(name, [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%' || c == '.';
    });
    if (!is_name) return none();
    return name;
  }
  const auto parts = PartsOf(container.frame, container.expression);
  if (!parts) return tl::unexpected(parts.error());
  for (const auto& [part, expression] : parts->named) {
    if (part == name || base::Printable(part) == name) return expression;
  }
  if (name.size() > 2 && name.starts_with('[') && name.ends_with(']') && parts->count != 0) {
    const auto index = ParseAddress(name.substr(1, name.size() - 2));
    if (index && *index < parts->count) return fmt::format("{}[{}]", parts->indexed, *index);
  }
  return none();
}

}  // namespace assay::tools::dap
