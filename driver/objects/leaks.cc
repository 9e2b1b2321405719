#include "driver/objects/leaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "driver/core/call.h"
#include "driver/core/driver.h"
#include "driver/objects/event.h"
#include "driver/objects/queue.h"
#include "driver/objects/storage.h"
#include "driver/report/frames.h"

namespace assay::driver {
namespace {

struct Held {
  std::string name;
  const CallStack* created = nullptr;
};

std::string ListOf(const std::vector<Held>& all) {
  constexpr std::size_t kShown = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(kShown, all.size()); ++i) {
    list += (i == 0 ? "" : ", ") + all[i].name;
  }
  if (all.size() > kShown) list += ", ...";
  return list;
}

// What the same calls created is named together.
std::vector<RelatedCall> CreationsOf(const std::vector<Held>& all) {
  constexpr std::size_t kShown = 8;
  std::vector<std::pair<std::vector<HostFrame>, std::vector<Held>>> places;
  for (const Held& one : all) {
    if (one.created == nullptr) continue;
    auto frames = FramesOf(*one.created);
    const auto same = std::ranges::find(places, frames, [](const auto& it) { return it.first; });
    if (same != places.end()) {
      same->second.push_back(one);
    } else if (places.size() < kShown) {
      places.emplace_back(std::move(frames), std::vector{one});
    }
  }
  std::vector<RelatedCall> related;
  for (auto& [frames, created] : places) {
    related.push_back(
        {fmt::format("{} {} created", ListOf(created), created.size() == 1 ? "was" : "were"),
         std::move(frames)});
  }
  return related;
}

}  // namespace

// Not devices, which it is given, nor events of commands that have not ended.
void TellLeaks() {
  std::vector<const Object*> held;
  Driver::Get().handles.ForEach([&held](const Object& object) {
    const bool is_given = object.kind() == Kind::kPlatform || object.kind() == Kind::kDevice;
    const bool is_open =
        object.kind() == Kind::kEvent && !static_cast<const Event&>(object).IsDone();
    if (!is_given && !is_open && object.references() != 0) held.push_back(&object);
  });
  std::ranges::sort(held, {}, [](const Object* object) {
    return std::pair(object->kind(), object->handle()->number);
  });
  std::vector<Held> names;
  for (const Object* object : held) names.push_back({object->Name(), object->created()});
  for (const Object* object : held) {
    if (object->kind() != Kind::kContext) continue;
    for (const auto& [address, allocation] : static_cast<const Context*>(object)->svm)
      names.push_back({allocation.storage->name(), allocation.created.get()});
  }
  if (names.empty()) return;
  TellMisuse("exit", interp::Rule::kHostLeak,
             fmt::format("{} object{} not released: {}", names.size(),
                         names.size() == 1 ? " is" : "s are", ListOf(names)),
             {}, nullptr, CreationsOf(names));
}

void TellUnfinished() {
  std::vector<const Event*> open;
  Driver::Get().handles.ForEach([&open](const Object& object) {
    if (object.kind() != Kind::kEvent) return;
    const auto& event = static_cast<const Event&>(object);
    if (event.IsOfCommand() && !event.IsDone()) open.push_back(&event);
  });
  if (open.empty()) return;
  const Event* first = *std::ranges::min_element(
      open, {}, [](const Event* event) { return event->handle()->number; });
  TellMisuse("exit", interp::Rule::kHostUnfinishedCommand,
             fmt::format("{} command{} did not end; the first of them is on {}", open.size(),
                         open.size() == 1 ? "" : "s", first->queue->Name()));
}

}  // namespace assay::driver
