#include "compression.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tailrace/compression.hpp"

namespace tailrace::bindings {

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace {

using Chunk = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using Stored = nb::ndarray<nb::c_contig, nb::device::cpu>;

bool is_real(const nb::dlpack::dtype& type) {
  return type == nb::dtype<float>() || type == nb::dtype<double>();
}

CompressionInput input_of(const Chunk& chunk, std::optional<double> fill) {
  if (!is_real(chunk.dtype())) throw Error(ErrorCode::usage, "expected an array of float32 or float64");
  CompressionInput input{
      .values = chunk.data(), .value_bytes = chunk.itemsize(), .shape = {}, .fill_value = fill};
  for (std::size_t d = 0; d < chunk.ndim(); ++d)
    input.shape.push_back(static_cast<std::int64_t>(chunk.shape(d)));
  return input;
}

CompressionTrial tried(const Compression& compression, const Chunk& chunk, const Stored& stored,
                       std::optional<double> fill) {
  if (stored.dtype() != chunk.dtype() || stored.size() != chunk.size())
    throw Error(ErrorCode::usage,
                "expected an array for the stored values of the type and size of the chunk");
  const CompressionInput input = input_of(chunk, fill);
  void* const into = stored.data();
  const nb::gil_scoped_release unlocked;
  return compression.try_on(input, into);
}

}  // namespace

void bind_compression(nb::module_& module) {
  nb::class_<CompressionTrial>(module, "CompressionTrial", "What compression made of a chunk.")
      .def_ro("bytes", &CompressionTrial::bytes)
      .def_ro("encode_seconds", &CompressionTrial::encode_seconds, "Of the processor, with all checks.")
      .def_ro("decode_seconds", &CompressionTrial::decode_seconds, "Of the processor.")
      .def_ro("largest_absolute_error", &CompressionTrial::largest_absolute_error)
      .def_ro("largest_relative_error", &CompressionTrial::largest_relative_error, "A share of the value.")
      .def_ro("is_exact", &CompressionTrial::is_exact,
              "The bound could not be held, so the values are as they were.")
      .def_ro("bits", &CompressionTrial::bits, "With `information`: of the mantissa, that were kept.");
  nb::class_<Compression>(module, "Compression", "A value of `compression` in a configuration.")
      .def(nb::init<std::string>(), "settings"_a)
      .def("try_on", &tried, "chunk"_a, "stored"_a, "fill_value"_a = nb::none(),
           "Compresses a chunk as a server would, and fills `stored` with what readers get.")
      .def_static(
          "information_of_bits",
          [](const Chunk& chunk, std::optional<double> fill) {
            return Compression::information_of_bits(input_of(chunk, fill));
          },
          "chunk"_a, "fill_value"_a = nb::none(),
          "The information of each bit, from the sign to the end of the mantissa (Kloewer et al. 2021).");
}

}  // namespace tailrace::bindings
