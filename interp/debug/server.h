// Answers the questions of a debugger's front end about a run that has stopped.
//
// The terminal and the Debug Adapter Protocol are made from the same answers
// (interp/debug/messages.h).
#pragma once

#include <string>
#include <type_traits>

#include "interp/debug/core.h"
#include "interp/debug/messages.h"

namespace assay::interp {

class DebugServer {
 public:
  explicit DebugServer(DebugCore* core) : core_(*core) {}

  // kUsage where there is no answer.
  template <typename Request>
  Expected<typename Request::Answer> Ask(const Request& request) {
    if (!std::is_same_v<Request, debug::ShadowReportRequest> && core_.program() == nullptr) {
      return Fail(ErrorKind::kUsage, "nothing runs");
    }
    return Reply(request);
  }
  // The same for any request: the answer or a Failure.
  debug::Message Answer(const debug::Request& request);

  // Sets the goal, and all breakpoints, watchpoints and what is caught.
  Expected<void> Prepare(const debug::RunRequest& request);
  // What is told about a stop; without output.
  debug::Stopped Describe(const DebugStop& stop);
  debug::Progress Progress() const;
  // Of what a search met, after the run has ended, too.
  debug::SearchResult DescribeSearch(const DebugStop& stop) const;

 private:
  // server_items.cc
  Expected<debug::Where> Reply(const debug::WhereRequest& request);
  Expected<debug::ItemsAnswer> Reply(const debug::ItemsRequest& request);
  Expected<debug::GroupsAnswer> Reply(const debug::GroupsRequest& request);
  Expected<debug::FindItemAnswer> Reply(const debug::FindItemRequest& request);
  Expected<DebugItem> ItemOf(const std::optional<DebugItemId>& id) const;
  Expected<DebugScope> ScopeOfTarget(const debug::Target& target) const;
  debug::Where Where(const DebugItem& item) const;
  Expected<debug::Where> WhereLater(const DebugItemId& id) const;
  std::string StateOf(const RunningBatch& running) const;
  std::vector<debug::Item> GroupItems(const Worker& worker,
                                      const debug::ItemsRequest& request) const;

  // server_code.cc
  Expected<debug::FramesAnswer> Reply(const debug::FramesRequest& request);
  Expected<debug::DisassembleAnswer> Reply(const debug::DisassembleRequest& request);
  Expected<debug::FunctionsAnswer> Reply(const debug::FunctionsRequest& request);
  Expected<debug::ResolveAnswer> Reply(const debug::ResolveRequest& request);
  Expected<debug::CheckAnswer> Reply(const debug::CheckRequest& request);
  debug::Frame Frame(const DebugFrame& frame) const;
  std::uint32_t FindFunction(const std::string& name) const;

  // server_values.cc
  Expected<debug::VariablesAnswer> Reply(const debug::VariablesRequest& request);
  Expected<debug::EvaluateAnswer> Reply(const debug::EvaluateRequest& request);
  std::vector<debug::Variable> Locals(const DebugScope& scope, const DebugFormat& format);
  std::vector<debug::Variable> Globals(const DebugScope& scope, const DebugFormat& format);
  std::vector<debug::Variable> Registers(const DebugScope& scope, const DebugFormat& format);
  void AddType(frontend::TypeRef type, debug::EvaluateAnswer* answer) const;
  void AddValue(const DebugScope& scope, const DebugValue& value, const DebugFormat& format,
                debug::EvaluateAnswer* answer);
  void AddPlace(const DebugScope& scope, const DebugValue& value,
                debug::EvaluateAnswer* answer) const;
  std::vector<std::string> PartNames(const DebugValue& value) const;
  std::optional<debug::ValueBits> BitsOf(const DebugValue& value) const;

  // server_memory.cc
  Expected<debug::ExamineAnswer> Reply(const debug::ExamineRequest& request);
  Expected<debug::ReadMemoryAnswer> Reply(const debug::ReadMemoryRequest& request);
  Expected<debug::WriteMemoryAnswer> Reply(const debug::WriteMemoryRequest& request);
  Expected<debug::ObjectsAnswer> Reply(const debug::ObjectsRequest& request);
  Expected<DebugValue> TextAt(const DebugScope& scope, Address address) const;
  Expected<debug::ExamineAnswer> ExamineText(const DebugScope& scope, Address address,
                                             std::uint64_t count) const;
  Expected<debug::ExamineAnswer> ExamineNumbers(const DebugScope& scope, Address address,
                                                std::uint32_t size,
                                                const debug::ExamineRequest& request) const;

  // server_numerics.cc
  Expected<debug::NumericsAnswer> Reply(const debug::NumericsRequest& request);
  Expected<debug::ShadowReportAnswer> Reply(const debug::ShadowReportRequest& request);

  DebugCore& core_;
};

// The format and the limit of a request.
template <typename Request>
DebugFormat DebugFormatOf(const Request& request) {
  DebugFormat format;
  if (!request.format.empty()) format.letter = request.format[0];
  if constexpr (requires { request.limit; }) format.limit = request.limit.value_or(format.limit);
  return format;
}

}  // namespace assay::interp
