// What the parts of @transfers share: random commands, and what must come of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "oracle/checks/check.h"
#include "oracle/devices/transfer_request.h"

namespace assay::oracle {

// A step on contents, by object; a sub-buffer's are those of its buffer.  OpenCL API 5.2 and 5.3.
void ApplyTransfer(const TransferRequest& request, const TransferStep& step,
                   std::vector<std::vector<std::byte>>* contents);

// Bytes that a step touches in an object, counted from its beginning: what it must have at least.
std::uint64_t ReachOf(const TransferRequest& request, const TransferStep& step,
                      const TransferPlace& place);

// "clEnqueueCopyBuffer, region (7, 1, 1), from buffer 0 (300 bytes) at (3, 0, 0), to ...", and
// "buffer 0 (300 bytes)".
std::string TransferText(const TransferRequest& request, const TransferStep& step);
std::string ObjectText(const TransferRequest& request, std::uint32_t object);

// Random commands of a row, with numbers that depend on seed, row and case alone.
class TransferMaker {
 public:
  TransferMaker(std::uint64_t seed, const std::string& row, std::uint64_t number);

  TransferRequest& request() { return request_; }
  // first to last, both among them.
  std::uint64_t Number(std::uint64_t first, std::uint64_t last);
  std::uint32_t AddHost(std::uint64_t size);
  std::uint32_t AddBuffer(std::uint64_t size);
  std::uint32_t AddSubBuffer(std::uint32_t buffer, std::uint64_t origin, std::uint64_t size);
  std::uint32_t AddImage(ImageShape shape, numerics::image::ImageFormat format);
  numerics::image::ImageFormat Format();
  // Bytes for a color that each format of Format() stores exactly.
  std::vector<std::uint8_t> Color(numerics::image::ImageFormat format);
  std::vector<std::uint8_t> Bytes(std::size_t count);
  // A region in an image, and one that is in two images.
  void ChooseRegion(std::uint32_t image, TransferStep* step, TransferPlace* place);
  void ChooseRegions(TransferStep* step);

 private:
  std::uint64_t seed_, asked_ = 0;
  TransferRequest request_;
};

// Runs the request on random contents and compares each status and all bytes with what is due.
// `statuses`: the error that each step must have; none: all have to succeed.
Expected<void> RunTransfer(CheckRun& run, const TransferRequest& request, std::uint64_t seed,
                           const std::vector<std::int64_t>& statuses = {});

void AddTransferErrorChecks(const DeviceFacts& facts, std::vector<Check>* checks);

}  // namespace assay::oracle
