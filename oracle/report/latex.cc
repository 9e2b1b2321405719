#include "oracle/report/latex.h"

#include "base/text.h"

namespace assay::oracle {

std::string EscapedLatex(std::string_view text) {
  std::string escaped;
  for (const char c : base::Printable(text)) {
    switch (c) {
      case '\\':
        escaped += "\\textbackslash{}";
        break;
      case '~':
        escaped += "\\textasciitilde{}";
        break;
      case '^':
        escaped += "\\textasciicircum{}";
        break;
      // Two of them, and three hyphens, would be other characters; these two print others in OT1.
      case '<':
        escaped += "\\textless{}";
        break;
      case '>':
        escaped += "\\textgreater{}";
        break;
      case '-':
        escaped += "{-}";
        break;
      case '{':
      case '}':
      case '#':
      case '$':
      case '%':
      case '&':
      case '_':
        escaped += '\\';
        escaped += c;
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace assay::oracle
