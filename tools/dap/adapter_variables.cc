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
std::uint64_t BitsOf(const debug::EvaluateAnswer& value) {
  const std::string& again = value.again;
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
                               {Kind::kObjects, "Memory objects", "", true},
                               {Kind::kIds, "Work-item", "", true}};
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
                                const debug::EvaluateAnswer& value) const {
  Parts parts;
  if (value.parts.empty()) return parts;
  const std::string& first = value.parts.front();
  if (first != "*" && !first.starts_with("[")) {
    for (const std::string& name : value.parts) {
      parts.named.emplace_back(name, fmt::format("{}.{}", Primary(expression), name));
    }
    return parts;
  }
  const auto number = [&](const std::string& wanted) -> std::uint64_t {
    const auto answer =
        session_->Ask(debug::EvaluateRequest{.target = frame.target(), .expression = wanted});
    return answer ? BitsOf(*answer) : 0;
  };
  if (first.starts_with("[")) {
    parts.indexed = Primary(expression);
    parts.count = value.parts.size();
    if (value.parts.size() < kMostChildren) return parts;
    const std::uint64_t count = number(fmt::format("sizeof({0}) / sizeof(({0})[0])", expression));
    if (count != 0) parts.count = count;
    return parts;
  }
  // A pointer: the elements from there to the end of the object.
  const std::uint64_t bytes = number(fmt::format("sizeof(*({}))", expression));
  const std::uint64_t address = BitsOf(value);
  const auto objects = session_->Ask(debug::ObjectsRequest());
  if (objects && bytes != 0) {
    for (const debug::MemoryObject& object : objects->objects) {
      if (address < object.address || address - object.address >= object.bytes) continue;
      parts.indexed = Primary(expression);
      parts.count = (object.bytes - (address - object.address)) / bytes;
    }
  }
  if (parts.count == 0) parts.named.emplace_back("*", fmt::format("*{}", Primary(expression)));
  return parts;
}

Expected<Adapter::Parts> Adapter::PartsOf(const FrameHandle& frame,
                                          const std::string& expression) const {
  const auto value = session_->Ask(
      debug::EvaluateRequest{.target = frame.target(), .expression = expression, .limit = 1});
  if (!value) return tl::unexpected(value.error());
  return PartsOf(frame, expression, *value);
}

// Where a value is, and what it is made of.
void Adapter::Describe(const FrameHandle& frame, const std::string& expression,
                       const debug::EvaluateAnswer& value, OrderedJson* variable) {
  if (client_.knows_types) (*variable)["type"] = value.type;
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
  const bool is_pointer = value.type.ends_with("*");
  if (is_pointer && BitsOf(value) != 0) {
    (*variable)["memoryReference"] = ReferenceTo(frame, BitsOf(value));
  } else if (value.address) {
    (*variable)["memoryReference"] = ReferenceTo(frame, *value.address);
  }
}

OrderedJson Adapter::Variable(const FrameHandle& frame, const std::string& name,
                              const std::string& expression, const std::string& format) {
  const auto value = session_->Ask(
      debug::EvaluateRequest{.target = frame.target(), .expression = expression, .format = format});
  OrderedJson one{{"name", name}};
  if (!value) {
    // Of a part that is nowhere the column of its expression says nothing.
    constexpr std::string_view kLost = "optimized out";
    const std::string& why = value.error().message;
    one["value"] = fmt::format("<{}>", why.ends_with(kLost) ? kLost : std::string_view(why));
    one["variablesReference"] = 0;
    return one;
  }
  one["value"] = value->value;
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
  using List = debug::VariablesRequest::Kind;
  const List which = container.kind == Kind::kGlobals     ? List::kGlobals
                     : container.kind == Kind::kRegisters ? List::kRegisters
                                                          : List::kLocals;
  const auto answer = session_->Ask(
      debug::VariablesRequest{.kind = which, .target = container.frame.target(), .limit = 1});
  if (!answer) return tl::unexpected(answer.error());
  OrderedJson list = OrderedJson::array();
  std::set<std::string> seen;
  std::int64_t place = 0;
  for (const debug::Variable& one : answer->variables) {
    if (one.is_argument && *one.is_argument != (container.kind == Kind::kArguments)) continue;
    if (!page.Has(place++)) {
      seen.insert(one.name);
      continue;
    }
    const bool is_hidden = !seen.insert(one.name).second;
    if (!one.missing && !is_hidden) {
      OrderedJson variable = Variable(container.frame, one.name, one.name, page.format);
      if (!one.called.empty() && client_.knows_types)
        variable["type"] = fmt::format("{} {}", one.type, one.called);
      list.push_back(std::move(variable));
      continue;
    }
    // An inner variable hides it, or it is nowhere.
    OrderedJson variable{{"name", is_hidden ? one.name + " (outer)" : one.name},
                         {"value", one.missing ? "<" + *one.missing + ">" : one.value},
                         {"variablesReference", 0}};
    if (client_.knows_types) variable["type"] = one.type;
    list.push_back(std::move(variable));
  }
  return list;
}

Expected<OrderedJson> Adapter::ObjectVariables(const Container& container, const Page& page) {
  const auto answer = session_->Ask(debug::ObjectsRequest());
  if (!answer) return tl::unexpected(answer.error());
  OrderedJson list = OrderedJson::array();
  std::int64_t place = 0;
  for (const debug::MemoryObject& object : answer->objects) {
    if (!page.Has(place++)) continue;
    const std::uint64_t address = object.address;
    const std::uint64_t bytes = object.bytes;
    OrderedJson one{{"name", object.name},
                    {"value", fmt::format("{} bytes of {} memory at {:#x}{}", bytes, object.space,
                                          address, object.writable ? "" : ", read-only")},
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

// Where the work-item is in its groups, as the source asks for it.
OrderedJson Adapter::IdVariables(const Container& container, const Page& page) {
  constexpr std::string_view kWithDimension[] = {"get_global_id", "get_local_id", "get_group_id"};
  constexpr std::string_view kOthers[] = {"get_local_linear_id()", "get_sub_group_id()",
                                          "get_sub_group_local_id()", "get_sub_group_size()",
                                          "get_num_sub_groups()"};
  std::vector<std::string> expressions;
  for (const std::string_view name : kWithDimension) {
    for (int d = 0; d < 3; ++d) expressions.push_back(fmt::format("{}({})", name, d));
  }
  for (const std::string_view one : kOthers) expressions.emplace_back(one);
  OrderedJson list = OrderedJson::array();
  std::int64_t place = 0;
  for (const std::string& one : expressions) {
    if (page.Has(place++)) list.push_back(Variable(container.frame, one, one, page.format));
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
      list = is_objects                      ? ObjectVariables(*container, page)
             : container->kind == Kind::kIds ? IdVariables(*container, page)
                                             : ScopeVariables(*container, page);
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
