// Any bytes from a client of the Debug Adapter Protocol: messages, requests and their arguments, or
// errors, and never a crash.  However the bytes are cut into pieces, they are the same messages.
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "tools/dap/arguments.h"
#include "tools/dap/base64.h"
#include "tools/dap/framing.h"
#include "tools/dap/hits.h"
#include "tools/dap/log_message.h"
#include "tools/dap/text_units.h"

namespace {

using namespace assay::tools::dap;

std::vector<std::string> Bodies(std::string_view bytes, std::size_t piece) {
  FrameReader reader;
  std::vector<std::string> bodies;
  for (bool good = true; good && !bytes.empty();) {
    good = reader.Feed(bytes.substr(0, piece)).has_value();
    bytes.remove_prefix(std::min(piece, bytes.size()));
    for (std::string& body : reader.bodies()) bodies.push_back(std::move(body));
    reader.bodies().clear();
  }
  return bodies;
}

void ReadText(const std::string& text) {
  (void)ParseHitCondition(text);
  (void)PartsOfLog(text);
  (void)ParseAddress(text);
  if (const auto hex = HexOfBase64(text)) {
    const auto again = HexOfBase64(Base64OfHex(*hex));
    if (!again || *again != *hex) std::abort();
  }
}

void ReadRequest(const std::string& body) {
  const auto message = ParseBody(body);
  if (!message) return;
  const Arguments fields(*message, "a message");
  (void)fields.Integer("seq");
  (void)fields.Text("command");
  const auto arguments = fields.Object("arguments");
  if (!arguments) return;
  (void)arguments->Format();
  for (const char* key : {"threadId", "line", "count", "breakpoints", "args", "expression"}) {
    (void)arguments->Has(key);
    (void)arguments->Integer(key);
    (void)arguments->Integer(key, 1);
    (void)arguments->Flag(key, true);
    (void)arguments->Texts(key);
    if (const auto text = arguments->Text(key, "")) ReadText(*text);
    if (const auto all = arguments->Objects(key)) {
      for (const Arguments& one : *all) (void)one.Integer("line");
    }
  }
  (void)Framed(OrderedJson::parse(message->dump(-1, ' ', false, Json::error_handler_t::replace)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  ReadText(text);
  ReadRequest(text);
  const auto bodies = Bodies(text, size + 1);
  if (bodies != Bodies(text, 7)) std::abort();
  for (const std::string& body : bodies) ReadRequest(body);
  return 0;
}
