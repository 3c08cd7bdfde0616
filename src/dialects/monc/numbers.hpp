// Numbers as MONC reads them.
#pragma once

#include <string>
#include <string_view>

namespace tailrace::dialects::monc {

// The value that MONC reads from the text of a real number: at most 11 characters of it, in single precision,
// and without a decimal point as hundredths (with an exponent: as 1e-10ths). 0 if the text is no number.
double real_as_monc_reads(std::string_view text);

// Whether that is another number than the one that stands there, beyond single precision.
bool monc_misreads(std::string_view text);

// The shortest text that reads back as the same number.
std::string exact_text(double value);

}  // namespace tailrace::dialects::monc
