// Answers a front end's questions about a stopped run, as JSON. The terminal and the Debug Adapter
// Protocol use the same answers.
//
// A request is an object with "do" (see the methods). A request about a work-item has "group" and
// "local" (linear ids; default: the work-item that stopped) and "frame" (0 is the innermost). An
// answer has "error" if the request failed.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "interp/debug/core.h"

namespace assay::interp {

class DebugServer {
 public:
  using Json = nlohmann::ordered_json;

  explicit DebugServer(DebugCore* core) : core_(*core) {}

  Json Answer(const Json& request);

  // "run": sets the goal, and all breakpoints, watchpoints and catchpoints.
  Expected<void> Prepare(const Json& request);
  // Describes a stop: reason, time, "where", and the breakpoints and watchpoints that were hit.
  Json Describe(const DebugStop& stop);
  // How far the run has come: "time", "groups_done" of "groups", "global_id".
  Json Progress() const;
  // Describes the result of a search, also after the end of the run.
  Json DescribeSearch(const DebugStop& stop) const;
  // Which instructions lost digits; after the end of a run, too.  kUsage without shadows.
  Expected<Json> ShadowReport() const;

 private:
  Expected<Json> Dispatch(const Json& request);
  Expected<DebugItem> ItemOf(const Json& request) const;
  Expected<DebugScope> ScopeOfRequest(const Json& request) const;
  Json Where(const DebugItem& item) const;
  Expected<Json> WhereLater(const Json& request) const;
  Json FrameJson(const DebugFrame& frame) const;
  Expected<Json> Frames(const Json& request);
  Expected<Json> Variables(const Json& request);
  Expected<Json> Globals(const Json& request);
  Expected<Json> Registers(const Json& request);
  Expected<Json> Evaluate(const Json& request);
  Json TypeJson(frontend::TypeRef type) const;
  Json ValueJson(const DebugScope& scope, const DebugValue& value, const DebugFormat& format);
  Json Children(const DebugValue& value, const std::string& expression);
  Json Parts(const DebugValue& value) const;
  Expected<Json> Numerics(const Json& request);
  Expected<Json> Examine(const Json& request);
  Expected<DebugValue> TextAt(const DebugScope& scope, Address address) const;
  Expected<Json> ExamineText(const DebugScope& scope, Address address, std::uint64_t count) const;
  Expected<Json> ReadMemory(const Json& request);
  Expected<Json> WriteMemory(const Json& request);
  Expected<Json> Items(const Json& request);
  Json GroupItems(const Worker& worker, const Json& request) const;
  Expected<Json> Groups();
  Expected<Json> Objects();
  Expected<Json> Disassemble(const Json& request);
  Expected<Json> Functions();
  Expected<Json> Resolve(const Json& request);
  Expected<Json> FindItem(const Json& request);
  std::string StateOf(const RunningBatch& running) const;
  Expected<DebugGoal> GoalOf(const Json& request) const;

  DebugCore& core_;
};

}  // namespace assay::interp
