#include "output/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/utf8.hpp"
#include "env/open_files.hpp"
#include "model/name.hpp"

namespace tailrace::output {
namespace {

std::string written_by_another(const std::string& path, int own) {
  return fmt::format("is being written by another session: {}", env::who_writes(path, own));
}

[[noreturn]] void refuse(const DatasetSpec& spec, const std::string& why) {
  throw Error(ErrorCode::configuration, fmt::format("{}: {}", spec.path, why));
}

void check_name(const DatasetSpec& spec, const char* kind, const std::string& name,
                std::set<std::string>& seen) {
  if (const auto complaint = model::name_complaint(name))
    refuse(spec, fmt::format("{} \"{}\": the name {}", kind, base::quotable(name), *complaint));
  if (!seen.insert(name).second) refuse(spec, fmt::format("two {}s are called \"{}\"", kind, name));
}

void check_attributes(const DatasetSpec& spec, const std::string& owner, const Attributes& attributes) {
  for (const auto& [name, value] : attributes)
    if (const auto complaint = model::attribute_name_complaint(name))
      refuse(spec, fmt::format("{}attribute \"{}\" {}", owner, base::quotable(name), *complaint));
}

void check_variable(const DatasetSpec& spec, const VariableSpec& variable) {
  const auto refuse_it = [&](const std::string& why) {
    refuse(spec, fmt::format("variable \"{}\": {}", variable.name, why));
  };
  for (std::size_t i = 0; i < variable.dims.size(); ++i) {
    const int dim = variable.dims[i];
    if (dim < 0 || static_cast<std::size_t>(dim) >= spec.dims.size())
      refuse_it(fmt::format("dimension {} does not exist", dim));
    const DimensionSpec& described = spec.dims[base::index(dim)];
    if (described.unlimited && i > 0)
      refuse_it(fmt::format("the unlimited dimension \"{}\" must be the first", described.name));
  }
  TAILRACE_ASSERT(!variable.is_text || (variable.type == model::DataType::uint8 && !variable.fill_value &&
                                        variable.codec.codec == "none"),
                  "characters are plain bytes: " + variable.name);
  if (variable.chunk.empty()) {
    if (grows(spec, variable)) refuse_it("it is unlimited and needs a chunk shape");
    return;
  }
  if (variable.chunk.size() != variable.dims.size()) {
    refuse_it(fmt::format("the chunk shape has {} dimensions, the variable {}", variable.chunk.size(),
                          variable.dims.size()));
  }
  for (const std::int64_t extent : variable.chunk)
    if (extent < 1) refuse_it(fmt::format("a chunk cannot be {} cells wide", extent));
  const auto chunk_bytes =
      static_cast<std::uint64_t>(cells_of(variable.chunk)) * model::size_of(variable.type);
  if (chunk_bytes >= std::uint64_t{1} << 32)
    refuse_it(fmt::format("a chunk of {} bytes; at most 4 GiB", chunk_bytes));
}

void check_text(const DatasetSpec& spec, const TextSpec& text) {
  TAILRACE_ASSERT(!text.dims.empty(), "a text variable needs a dim of characters: " + text.name);
  std::int64_t characters = 1, length = 0;
  for (const int dim : text.dims) {
    const DimensionSpec& described = spec.dims.at(base::index(dim));
    TAILRACE_ASSERT(!described.unlimited, "a text variable cannot grow: " + text.name);
    characters *= length = described.size;
  }
  TAILRACE_ASSERT(static_cast<std::int64_t>(text.values.size()) * length == characters,
                  "a text variable needs one value for each cell: " + text.name);
  for (const std::string& value : text.values)
    TAILRACE_ASSERT(static_cast<std::int64_t>(value.size()) <= length,
                    "a value is longer than the dim of characters: " + text.name);
}

void check_chunk(const DatasetSpec& spec, const std::vector<std::int64_t>& lengths,
                 const EncodedChunk& chunk) {
  TAILRACE_ASSERT(chunk.variable >= 0 && static_cast<std::size_t>(chunk.variable) < spec.variables.size(),
                  "the variable of a chunk does not exist");
  const VariableSpec& variable = spec.variables[base::index(chunk.variable)];
  TAILRACE_ASSERT(!variable.chunk.empty() && chunk.offset.size() == variable.chunk.size(),
                  "the offset of a chunk needs the rank of its variable: " + variable.name);
  const auto shape = shape_of(variable, lengths);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    TAILRACE_ASSERT(
        chunk.offset[i] >= 0 && chunk.offset[i] < shape[i] && chunk.offset[i] % variable.chunk[i] == 0,
        "a chunk is not aligned to the chunk grid: " + variable.name);
  }
  const std::size_t raw = static_cast<std::size_t>(cells_of(variable.chunk)) * model::size_of(variable.type);
  TAILRACE_ASSERT(!chunk.bytes.empty() && (chunk.filtered || chunk.bytes.size() == raw),
                  "unencoded bytes have not the size of a chunk: " + variable.name);
}

void check_values(const DatasetSpec& spec, const std::vector<std::int64_t>& lengths,
                  const PlainValues& values) {
  TAILRACE_ASSERT(values.variable >= 0 && static_cast<std::size_t>(values.variable) < spec.variables.size(),
                  "the variable of plain values does not exist");
  const VariableSpec& variable = spec.variables[base::index(values.variable)];
  auto shape = shape_of(variable, lengths);
  if (!grows(spec, variable)) {
    const auto whole = static_cast<std::size_t>(cells_of(shape)) * model::size_of(variable.type);
    TAILRACE_ASSERT(values.first == 0 && values.bytes.size() == whole,
                    "plain values do not cover all of " + variable.name);
    return;
  }
  const std::int64_t length = shape[0];
  shape[0] = 1;
  const auto record = static_cast<std::size_t>(cells_of(shape)) * model::size_of(variable.type);
  TAILRACE_ASSERT(record > 0 && values.bytes.size() % record == 0,
                  "plain values are not whole records of " + variable.name);
  TAILRACE_ASSERT(
      values.first >= 0 && values.first + static_cast<std::int64_t>(values.bytes.size() / record) <= length,
      "plain values lie past the end of " + variable.name);
}

}  // namespace

void check_spec(const DatasetSpec& spec) {
  std::set<std::string> dims;
  for (const DimensionSpec& dim : spec.dims) {
    check_name(spec, "dimension", dim.name, dims);
    if (!dim.unlimited && dim.size < 1)
      refuse(spec, fmt::format("dimension \"{}\" cannot be {} cells long", dim.name, dim.size));
  }
  std::set<std::string> variables;
  for (const VariableSpec& variable : spec.variables) {
    check_name(spec, "variable", variable.name, variables);
    check_variable(spec, variable);
    check_attributes(spec, fmt::format("variable \"{}\": ", variable.name), variable.attributes);
  }
  for (const TextSpec& text : spec.texts) {
    check_name(spec, "variable", text.name, variables);
    if (dims.contains(text.name))
      refuse(spec, fmt::format("text \"{}\" has the name of a dimension", text.name));
    check_text(spec, text);
    check_attributes(spec, fmt::format("variable \"{}\": ", text.name), text.attributes);
  }
  check_attributes(spec, "", spec.attributes);
}

std::string other_regridding(const VariableSpec& variable, const std::string& existing) {
  std::string wanted;
  for (const auto& [name, value] : variable.attributes)
    if (const auto* text = std::get_if<std::string>(&value); name == regridding_attribute && text != nullptr)
      wanted = *text;
  if (wanted == existing) return "";
  const auto in_words = [](const std::string& made) {
    return made.empty() ? "values that are not regridded" : made;
  };
  return fmt::format("its variable \"{}\" has {}, and this run writes {}", variable.name, in_words(existing),
                     in_words(wanted));
}

std::string exists_already() {
  return "exists, and is not replaced; expected another path, or `if_exists: replace`";
}

bool is_being_written(env::FileSystem& files, const std::string& path) {
  try {
    for (int tries = 0; tries < 100; ++tries) {
      const auto file = files.open(path, env::Access::read);
      if (file->other_writer()) return true;
      if (file->is_file_at(path)) return false;  // otherwise the file was replaced meanwhile: look again
    }
    return false;
  } catch (const Error&) {
    return false;  // missing, or not readable for this user
  }
}

void check_no_writer(env::FileSystem& files, const std::string& path) {
  if (is_being_written(files, path)) throw Error(ErrorCode::resource, written_by_another(path, 0));
}

void mark_as_writer(env::File& file, const std::string& path) {
  if (!file.mark_as_writer()) throw Error(ErrorCode::resource, written_by_another(path, 1));
}

std::vector<std::byte> padded(const DatasetSpec& spec, const TextSpec& text) {
  const auto length = static_cast<std::size_t>(spec.dims[base::index(text.dims.back())].size);
  std::vector<std::byte> bytes(text.values.size() * length);
  for (std::size_t i = 0; i < text.values.size(); ++i)
    std::ranges::copy(std::as_bytes(std::span(text.values[i])),
                      bytes.begin() + static_cast<std::ptrdiff_t>(i * length));
  return bytes;
}

bool grows(const DatasetSpec& spec, const VariableSpec& variable) {
  return !variable.dims.empty() && spec.dims[base::index(variable.dims[0])].unlimited;
}

std::vector<std::int64_t> shape_of(const VariableSpec& variable, const std::vector<std::int64_t>& lengths) {
  std::vector<std::int64_t> shape;
  for (const int dim : variable.dims) shape.push_back(lengths[base::index(dim)]);
  return shape;
}

std::int64_t cells_of(const std::vector<std::int64_t>& shape) {
  std::int64_t cells = 1;
  for (const std::int64_t extent : shape) cells *= extent;
  return cells;
}

std::vector<std::int64_t> first_lengths(const DatasetSpec& spec) {
  std::vector<std::int64_t> lengths;
  for (const DimensionSpec& dim : spec.dims) lengths.push_back(dim.unlimited ? 0 : dim.size);
  return lengths;
}

std::string bounds_in_words(const std::map<std::string, codecs::lossy::ExistingBound>& bounds) {
  std::string words;
  for (const auto& [name, bound] : bounds) {
    words += fmt::format("\n    {}: rounded within {}; largest errors: {:.3g}, {:.3g} %", name, bound.words,
                         bound.reached.absolute, 100.0 * bound.reached.relative);
    // The bits of a bound in bits are among its words already.
    if (bound.reached.bits > 0 && bound.words.find("bits") == std::string::npos)
      words += fmt::format("; {} bits of the mantissa", bound.reached.bits);
  }
  return words;
}

void set_attribute(DatasetSpec& spec, const LateAttribute& late) {
  Attributes& all =
      late.variable < 0 ? spec.attributes : spec.variables[base::index(late.variable)].attributes;
  std::erase_if(all, [&](const auto& one) { return one.first == late.name; });
  all.emplace_back(late.name, late.value);
}

std::vector<std::int64_t> lengths_after(const DatasetSpec& spec, const std::vector<std::int64_t>& lengths,
                                        const Commit& commit) {
  std::vector<std::int64_t> after = lengths;
  for (const auto& [dim, length] : commit.lengths) {
    TAILRACE_ASSERT(dim >= 0 && static_cast<std::size_t>(dim) < spec.dims.size(),
                    "the dimension of a length does not exist");
    const auto at = base::index(dim);
    TAILRACE_ASSERT(spec.dims[at].unlimited || length == after[at],
                    "a fixed dimension grows: " + spec.dims[at].name);
    TAILRACE_ASSERT(length >= after[at], "a dimension shrinks: " + spec.dims[at].name);
    after[at] = length;
  }
  for (const EncodedChunk& chunk : commit.chunks) check_chunk(spec, after, chunk);
  for (const PlainValues& values : commit.values) check_values(spec, after, values);
  for (const LateAttribute& late : commit.attributes)
    TAILRACE_ASSERT(late.variable >= -1 && late.variable < static_cast<int>(spec.variables.size()),
                    "an attribute of no variable: " + late.name);
  return after;
}

}  // namespace tailrace::output
