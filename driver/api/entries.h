// The entry points of the API: functions with the names and types of cl.h, in a namespace, so that
// only the table of the ICD loader leads to them.
#pragma once

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include <string_view>
#include <unordered_map>

namespace assay::driver::api {

struct Entries {
  cl_icd_dispatch table = {};
  std::unordered_map<std::string_view, void*> by_name;  // clGetExtensionFunctionAddress*
};

// A function of the table, which is found by its name, too; does not compile where its type is not
// that of the API.
#define ASSAY_ENTRY(name)      \
  entries->table.name = &name; \
  entries->by_name[#name] = reinterpret_cast<void*>(entries->table.name)
// A function of an extension that the table does not have.
#define ASSAY_EXTENSION_ENTRY(name) entries->by_name[#name] = reinterpret_cast<void*>(&name)

// What the loader looks for by name (cl_khr_icd 2.0).
cl_int CL_API_CALL GetPlatformIds(cl_uint num_entries, cl_platform_id* platforms,
                                  cl_uint* num_platforms);
void* CL_API_CALL AddressForPlatform(cl_platform_id platform, const char* name);
cl_int CL_API_CALL SetDispatchData(cl_platform_id platform, void* data);

// One for each file.
void AddPlatform(Entries* entries);
void AddContext(Entries* entries);
void AddQueue(Entries* entries);
void AddEvent(Entries* entries);
void AddBuffer(Entries* entries);
void AddTransfer(Entries* entries);
void AddImage(Entries* entries);
void AddImageRequirements(Entries* entries);
void AddImageTransfer(Entries* entries);
void AddSampler(Entries* entries);
void AddProgram(Entries* entries);
void AddKernel(Entries* entries);
void AddEnqueue(Entries* entries);
void AddSvm(Entries* entries);
void AddUnifiedSvm(Entries* entries);
void AddUsm(Entries* entries);
void AddGlobalVariable(Entries* entries);
void AddPipe(Entries* entries);
void AddSemaphore(Entries* entries);
void AddCommandBuffer(Entries* entries);
void AddMutableDispatch(Entries* entries);
void AddCooperativeMatrix(Entries* entries);
void AddSharing(Entries* entries);
void AddIcd(Entries* entries);

}  // namespace assay::driver::api
