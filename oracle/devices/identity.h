// The identity of a device: the content of the libraries and programs behind it, and whether two
// descriptions are of the same device.  A name or a path is not enough.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "oracle/devices/device.h"

namespace assay::oracle {

// Names the first thing in which two descriptions differ, with both values ("denormals of float:
// yes before, no now"); nothing where they are of one device.  For a device that was started again,
// and for a run that is resumed.
std::optional<std::string> DescriptionDifference(const DeviceDescription& before,
                                                 const DeviceDescription& now);

// A file as it is now: "PATH, BYTES bytes, sha256 HEX".  Above 32 MiB, where an ELF file has a
// build-id, "PATH, BYTES bytes, build-id HEX" (a driver's compiler has 100 MB, and a digest of it
// takes longer than many functions).  A file that cannot be read says so.
std::string FileIdentity(const std::string& path);

// The file from which this address was loaded, according to the dynamic linker; "" if there is
// none.
std::string LoadedFileAt(const void* address);

// Every shared library that this process has loaded.
std::set<std::string> LoadedLibraries();

// A C math library, by an address in it.
std::vector<IdentityPart> IdentityOfLibrary(const void* address);

// An OpenCL driver: the library behind the platform's dispatch table (cl_khr_icd), and each that
// was loaded since `before`, the loader among them.  `platform` is a cl_platform_id.
std::vector<IdentityPart> IdentityOfDriver(const void* platform,
                                           const std::set<std::string>& before);

// For a shell command: each word that is a file, or a program in PATH. Programs that the command
// starts in other ways are not seen; the device's declarations are compared separately.
std::vector<IdentityPart> IdentityOfCommand(const std::string& command);

// This program: its build-id, or the digest of its file where it was linked without one.
IdentityPart IdentityOfAssay();

}  // namespace assay::oracle
