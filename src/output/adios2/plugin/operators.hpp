// The operators of ADIOS2 that compress the values of variables: those of the library itself, where it was
// built with them, and the one that has Tailrace's codecs.
#pragma once

#include <adios2.h>

#include <cstddef>
#include <optional>

#include "codecs/codec.hpp"
#include "output/adios2/options.hpp"
#include "output/adios2/plugin/codec_operator.hpp"

namespace tailrace::output::adios2 {

// So that ADIOS2 finds the operator that has Tailrace's codecs. Throws std::runtime_error where it would not.
void load_operator();

class Operators {
 public:
  // Throws std::runtime_error where the library has not the operator of the options.
  Operators(::adios2::ADIOS& adios, const Options& options);  // `adios` must live longer

  ::adios2::Operator own() const;  // the library's own that the options ask for
  // Puts of a variable with this one take a Source. Throws std::runtime_error where ADIOS2 would not find it.
  ::adios2::Operator of(const codecs::CodecOptions& codec, std::size_t element);

 private:
  ::adios2::ADIOS& adios_;
  std::optional<::adios2::Operator> own_;
  int made_ = 0;
};

}  // namespace tailrace::output::adios2
