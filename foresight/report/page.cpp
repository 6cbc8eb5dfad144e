#include "foresight/report/page_internal.h"

#ifdef FORESIGHT_PAGE
// The assembler copies the file, so no source of megabytes has to be generated and compiled.
asm(".pushsection .rodata\n"
    ".global foresight_page_begin\n"
    ".global foresight_page_end\n"
    "foresight_page_begin: .incbin \"" FORESIGHT_PAGE
    "\"\n"
    "foresight_page_end: .byte 0\n"
    ".popsection\n");
extern "C" const char foresight_page_begin[], foresight_page_end[];
#endif

namespace foresight {

std::string_view page() {
#ifdef FORESIGHT_PAGE
  return {foresight_page_begin, foresight_page_end};
#else
  return {};
#endif
}

}  // namespace foresight
