#include "oracle/checks/check.h"
namespace assay::oracle {
void AddGroupChecks(const DeviceFacts&, std::vector<Check>*) {}
void AddSubgroupChecks(const DeviceFacts&, std::vector<Check>*) {}
void AddAtomicChecks(const DeviceFacts&, std::vector<Check>*) {}
void AddMemoryChecks(const DeviceFacts&, std::vector<Check>*) {}
void AddLimitChecks(const DeviceFacts&, std::vector<Check>*) {}
}
