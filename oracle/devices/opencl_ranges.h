// What an OpenCL device makes itself for a range: operands, by a kernel, and poison, by a copy of a
// buffer that is filled once.  Internal to the OpenCL device.
//
// The poison is not made by a kernel, because a driver that loses launches would lose both: the
// answers of an earlier launch would then stand for this one's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "base/expected.h"
#include "oracle/devices/opencl_columns.h"
#include "oracle/devices/opencl_spirv.h"
#include "oracle/devices/range_request.h"

namespace assay::oracle {

class OpenClRanges {
 public:
  // `spirv`: nothing where programs are given as OpenCL C.
  OpenClRanges(const OpenClQueue& queue, const OpenClDeviceInfo& info,
               const std::optional<SpirvSupport>& spirv)
      : queue_(queue), info_(info), spirv_(spirv) {}

  // Enqueues: elements [at, at + count) of `buffer` become first, first + 1, ...  `count` is a
  // multiple of kWorkGroup.
  Expected<void> MakeOperands(cl_mem buffer, std::size_t at, std::uint32_t first,
                              std::size_t count);
  // Enqueues: `buffer` becomes `bytes` bytes of the poison, `guard` of them in front of that of
  // `shift`.
  Expected<void> CopyPoison(cl_mem buffer, std::size_t shift, std::size_t guard, std::size_t bytes);
  // Lets the driver know of memory into which answers will be read again and again: it can pin it,
  // and NVIDIA's reads four times as fast then.
  void Pin(std::span<std::byte> memory);
  // Makes operands in a buffer of its own and reads them back.
  Expected<MadeOthers> Check(std::uint32_t first, std::size_t count);

 private:
  Expected<cl_program> Create() const;
  Expected<void> Build();
  Expected<void> GrowPoison(std::size_t bytes);

  const OpenClQueue& queue_;
  const OpenClDeviceInfo& info_;
  const std::optional<SpirvSupport>& spirv_;
  std::shared_ptr<_cl_program> program_;
  std::shared_ptr<_cl_kernel> kernel_;
  BufferHandle poison_;
  std::size_t poison_bytes_ = 0;
  struct Pinned {
    BufferHandle buffer;
    std::size_t size = 0;
  };
  std::map<std::byte*, Pinned> pinned_;
};

}  // namespace assay::oracle
