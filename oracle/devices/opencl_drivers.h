// The drivers that are registered with the OpenCL loader, and why one of them does not load: the
// loader itself leaves such a driver out without a word.
//
// Where drivers are registered: the page of ocl-icd's libOpenCL(7), "ENVIRONMENT VARIABLES".
#pragma once

#include <string>
#include <vector>

namespace assay::oracle {

struct RegisteredDriver {
  std::string icd;      // the .icd file; empty: OCL_ICD_VENDORS names the library itself
  std::string library;  // as the file has it
  std::string problem;  // why it does not load, with the remedy; empty: it loads
};

// Those in the folder that OCL_ICD_VENDORS or OPENCL_VENDOR_PATH names, else in
// /etc/OpenCL/vendors.  Loads the libraries, so it belongs into a process that may end.
std::vector<RegisteredDriver> RegisteredDrivers();

// Of those that do not load: "FILE.icd: the driver 'LIBRARY' does not load: ...".
std::vector<std::string> DriversThatDoNotLoad(const std::vector<RegisteredDriver>& drivers);

// Why there is no platform where each of them loads.
std::string WhyNoPlatform(const std::vector<RegisteredDriver>& drivers);

}  // namespace assay::oracle
