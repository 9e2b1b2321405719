#include "layer/layer.h"

#include <CL/cl_layer.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <list>
#include <mutex>
#include <vector>

namespace assay::layer {

Layer& Layer::Get() {
  // Never destroyed: an application's exit handlers may still call functions of OpenCL.
  static auto* layer = new Layer;
  return *layer;
}

bool Layer::Start(const char* way) {
  auto read = ReadSettings();
  if (!read) {
    std::fprintf(stderr, "assay: %s; no launch is captured\n", read.error().message.c_str());
    return false;
  }
  settings = std::move(*read);
  if (settings.folder.empty()) return false;
  process.Start(settings.folder, way);
  return true;
}

void FollowAll(cl_icd_dispatch* table) {
  FollowDevices(table);
  FollowQueues(table);
  FollowPrograms(table);
  FollowKernels(table);
  FollowMemory(table);
}

namespace {

constexpr char kName[] = "assay layer: captures launches for `assay judge`";
constexpr std::size_t kEntries = sizeof(cl_icd_dispatch) / sizeof(void*);

// A table of the layer's for a loader.  The loader's own may be longer than the one that this file
// knows, or shorter.
cl_icd_dispatch* TableOver(cl_uint count, const cl_icd_dispatch* target, cl_uint* count_to) {
  static std::mutex mutex;
  static auto* tables = new std::list<std::vector<void*>>;
  const std::lock_guard lock(mutex);
  auto& table = tables->emplace_back(std::max<std::size_t>(count, kEntries), nullptr);
  std::memcpy(table.data(), static_cast<const void*>(target), count * sizeof(void*));
  *count_to = static_cast<cl_uint>(table.size());
  return reinterpret_cast<cl_icd_dispatch*>(table.data());
}

// A process may have several loaders, as where an application and a library of it bring one each.
// The objects are the drivers' whichever loader they came through, so the functions below the first
// one serve them all.
cl_int Init(cl_uint count, const cl_icd_dispatch* target, cl_uint* count_to,
            const cl_icd_dispatch** table_to) {
  if (target == nullptr || count_to == nullptr || table_to == nullptr) return CL_INVALID_VALUE;
  cl_icd_dispatch* table = TableOver(count, target, count_to);
  *table_to = table;
  Layer& layer = Layer::Get();
  // Another loader of this process does not know layers, and what it calls is followed already.
  if (!layer.drivers.empty()) return CL_SUCCESS;
  static std::once_flag once;
  static bool follows = false;
  std::call_once(once, [&layer, table] {
    layer.is_loaded = true;
    std::memcpy(static_cast<void*>(&layer.target), table, sizeof layer.target);
    follows = layer.Start("layer");
  });
  if (follows) FollowAll(table);
  return CL_SUCCESS;
}

}  // namespace
}  // namespace assay::layer

#define ASSAY_EXPORTED [[gnu::visibility("default")]]

// The interface of layers (CL/cl_layer.h).  Loaders of its version 200 take layers of version 100,
// too, but not the other way round.

ASSAY_EXPORTED CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size,
                                                              void* value, size_t* size_to) {
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  const void* from = &version;
  size_t bytes = sizeof version;
  if (name == CL_LAYER_NAME) {
    from = assay::layer::kName;
    bytes = sizeof assay::layer::kName;
  } else if (name != CL_LAYER_API_VERSION) {
    return CL_INVALID_VALUE;
  }
  if (value != nullptr) {
    if (size < bytes) return CL_INVALID_VALUE;
    std::memcpy(value, from, bytes);
  }
  if (size_to != nullptr) *size_to = bytes;
  return CL_SUCCESS;
}

ASSAY_EXPORTED CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count,
                                                           const cl_icd_dispatch* target,
                                                           cl_uint* count_to,
                                                           const cl_icd_dispatch** table_to) {
  return assay::layer::Init(count, target, count_to, table_to);
}

extern "C" {
// Of newer headers than Debian 12's.
ASSAY_EXPORTED CL_API_ENTRY cl_int CL_API_CALL
clInitLayerWithProperties(cl_uint count, const cl_icd_dispatch* target, cl_uint* count_to,
                          const cl_icd_dispatch** table_to, const cl_ulong* properties);
ASSAY_EXPORTED CL_API_ENTRY cl_int CL_API_CALL clDeinitLayer();

CL_API_ENTRY cl_int CL_API_CALL clInitLayerWithProperties(cl_uint count,
                                                          const cl_icd_dispatch* target,
                                                          cl_uint* count_to,
                                                          const cl_icd_dispatch** table_to,
                                                          const cl_ulong* /*properties*/) {
  return assay::layer::Init(count, target, count_to, table_to);
}

// Every capture is on the disk when its launch has returned.
CL_API_ENTRY cl_int CL_API_CALL clDeinitLayer() { return CL_SUCCESS; }
}
