#include "driver/core/call.h"

#include <fmt/format.h>

#include "driver/report/frames.h"
#include "driver/report/log.h"

namespace assay::driver {

namespace {
thread_local const char* callback_of = nullptr;
}  // namespace

Object& Call::FindObject(const void* handle, Kind kind) {
  if (handle == nullptr) {
    Refuse(InvalidCode(kind), fmt::format("the {} is null", KindName(kind)));
  }
  const Handle* found = Driver::Get().handles.Find(handle);
  if (found == nullptr) {
    throw ApiError{InvalidCode(kind), fmt::format("{} is no {}", handle, KindName(kind)), false,
                   interp::Rule::kHostInvalidHandle};
  }
  if (found->object == nullptr) {
    throw ApiError{InvalidCode(kind),
                   fmt::format("{} {} was released before", KindName(found->kind), found->number),
                   false, interp::Rule::kHostReleasedObject};
  }
  if (found->kind != kind) {
    throw ApiError{
        InvalidCode(kind),
        fmt::format("{} is given where a {} is due", found->object->Name(), KindName(kind)), false,
        interp::Rule::kHostInvalidHandle};
  }
  return *found->object;
}

Object& Call::FindToRelease(const void* handle, Kind kind) {
  const Handle* found = Driver::Get().handles.Find(handle);
  const bool is_released = found != nullptr && found->kind == kind &&
                           (found->object == nullptr || found->object->references() == 0);
  if (is_released) {
    throw ApiError{InvalidCode(kind),
                   fmt::format("{} {} is released more often than it was created and retained",
                               KindName(kind), found->number),
                   false, interp::Rule::kHostOverRelease};
  }
  Object& object = FindObject(handle, kind);
  Driver& driver = Driver::Get();
  if (kind != Kind::kEvent && object.references() == 1 && driver.awaited_user_events != 0) {
    TellMisuse(
        name_, interp::Rule::kHostUserEventRelease,
        fmt::format("{} is released while commands wait for {} user event{} without a status",
                    object.Name(), driver.awaited_user_events,
                    driver.awaited_user_events == 1 ? "" : "s"));
  }
  return object;
}

ObjectChange::ObjectChange(const void* handle) : handle_(handle), is_on_(Log::Get().IsOn()) {
  if (!is_on_) return;
  Driver& driver = Driver::Get();
  const std::lock_guard lock(driver.changes_mutex);
  is_concurrent_ = ++driver.changes[handle_] > 1;
}

ObjectChange::~ObjectChange() {
  if (!is_on_) return;
  Driver& driver = Driver::Get();
  const std::lock_guard lock(driver.changes_mutex);
  const auto found = driver.changes.find(handle_);
  // The child of a fork() has none of them.
  if (found != driver.changes.end() && --found->second == 0) driver.changes.erase(found);
}

void TellIfInCallback(const char* call) {
  if (callback_of == nullptr) return;
  TellMisuse(call, interp::Rule::kHostCallback,
             fmt::format("it is called by a callback of {}", callback_of));
}

InCallback::InCallback(const char* of) { callback_of = of; }
InCallback::~InCallback() { callback_of = nullptr; }

void TellError(const char* call, const ApiError& error) {
  if (error.is_expected || !Log::Get().IsOn()) return;
  ApiFinding finding;
  finding.rule = error.rule.value_or(interp::Rule::kHostApiError);
  finding.call = call;
  finding.code = CodeName(error.code);
  finding.message = error.message;
  finding.frames = CaptureFrames();
  Log::Get().Tell(finding);
}

void TellMisuse(const char* call, interp::Rule rule, std::string message,
                std::vector<std::string> history, const CallStack* stack,
                std::vector<RelatedCall> related) {
  if (!Log::Get().IsOn()) return;
  ApiFinding finding;
  finding.rule = rule;
  finding.call = call;
  finding.message = std::move(message);
  finding.frames = stack == nullptr ? CaptureFrames() : FramesOf(*stack);
  finding.history = std::move(history);
  finding.related = std::move(related);
  Log::Get().Tell(finding);
}

void TellMissingFunction(const char* name) { Log::Get().TellMissing(name); }

cl_int CodeOfException(const char* call) {
  try {
    throw;
  } catch (const ApiError& error) {
    TellError(call, error);
    return error.code;
  } catch (const std::bad_alloc&) {
    return CL_OUT_OF_HOST_MEMORY;
  } catch (const std::exception& error) {
    TellError(call, {CL_OUT_OF_RESOURCES, error.what(), false, {}});
    return CL_OUT_OF_RESOURCES;
  }
}

}  // namespace assay::driver
