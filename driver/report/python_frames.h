// Where a thread is in the program that its Python interpreter runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace assay::driver {

struct PythonFrame {
  std::string function;    // "main", "<module>"
  std::string file;        // as the interpreter has it
  std::uint32_t line = 0;  // from 1

  bool operator==(const PythonFrame&) const = default;
};
using PythonFrames = std::vector<PythonFrame>;

// The calls of Python's functions that the calling thread is in, innermost first, at most
// kMaxPythonFrames.  Null where this process has no CPython of 3.9 to 3.14, or the thread runs none
// of it.
//
// Nothing is changed and no lock is taken: the interpreter's own lock may be another thread's (it
// is while ctypes makes a call), and who waits for it here would wait for who waits for the driver.
// So the frames are read from memory, by the layout of the interpreter's version; each address is
// read in a way that fails where there is no memory, and each object must have the type that it
// should have.
std::shared_ptr<const PythonFrames> CapturePythonFrames();
inline constexpr int kMaxPythonFrames = 32;

// An address in the library or program that the interpreter is; null where there is none.
const void* PythonInterpreter();

}  // namespace assay::driver
