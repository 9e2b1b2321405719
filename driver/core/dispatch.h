// The table of the entry points that the ICD loader calls.
#pragma once

namespace assay::driver {

// A cl_icd_dispatch; defined in driver/api.
const void* DispatchTable();
// By name, also those of extensions; null for a name that there is not.
void* FunctionAddress(const char* name);
// The same for an application: the report has the names that there are not.
void* LookUpFunction(const char* name);

}  // namespace assay::driver
