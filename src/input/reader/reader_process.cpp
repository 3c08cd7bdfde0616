#include "input/reader/reader_process.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

#include "env/node_memory.hpp"

namespace tailrace::input {
namespace {

using nlohmann::json;

constexpr std::uint64_t always_allowed = 1 << 20;  // bytes, for which nobody looks at the memory that is left

[[noreturn]] void refuse(const std::string& why, ReaderTrouble trouble = ReaderTrouble::other) {
  throw ReaderError(trouble, why);
}

ReaderTrouble trouble_of(const json& answer) {
  const std::string word = answer.value("trouble", "");
  if (word == "absent") return ReaderTrouble::absent;
  if (word == "changed") return ReaderTrouble::changed;
  return word == "passed" ? ReaderTrouble::passed : ReaderTrouble::other;
}

struct DeliveredType {
  const char* name;
  model::DataType type;
};
constexpr DeliveredType types[] = {{"byte", model::DataType::int8},     {"ubyte", model::DataType::uint8},
                                   {"short", model::DataType::int16},   {"ushort", model::DataType::int32},
                                   {"int", model::DataType::int32},     {"uint", model::DataType::int64},
                                   {"int64", model::DataType::int64},   {"uint64", model::DataType::float64},
                                   {"float", model::DataType::float32}, {"double", model::DataType::float64}};

// Numbers that JSON lacks are texts: "nan", "inf", "-inf".
AttributeValue numbers_of(const json& values) {
  std::vector<double> numbers;
  for (const json& one : values)
    numbers.push_back(one.is_string() ? std::strtod(one.get<std::string>().c_str(), nullptr)
                                      : one.get<double>());
  return numbers;
}

VariableHeader variable_of(const json& from) {
  VariableHeader variable;
  variable.name = from.at("name");
  variable.dims = from.at("dims").get<std::vector<std::string>>();
  variable.shape = from.at("shape").get<std::vector<std::int64_t>>();
  variable.chunk = from.at("chunk").get<std::vector<std::int64_t>>();
  variable.type_name = from.at("type");
  variable.is_text = variable.type_name == "char";
  if (variable.is_text) variable.type = model::DataType::uint8;
  for (const DeliveredType& known : types)
    if (variable.type_name == known.name) {
      variable.is_number = true;
      variable.type = known.type;
    }
  for (const auto& [name, value] : from.at("attributes").items())
    variable.attributes[name] =
        value.is_string() ? AttributeValue(value.get<std::string>()) : numbers_of(value);
  if (variable.dims.size() != variable.shape.size())
    refuse(fmt::format("{} has dims without lengths", variable.name));
  for (std::size_t d = 0; d < variable.shape.size(); ++d)
    if (variable.shape[d] < 0)
      refuse(
          fmt::format("{} has the length {} along {}", variable.name, variable.shape[d], variable.dims[d]));
  return variable;
}

FileHeader header_of(std::span<const std::byte> bytes) {
  const char* const text = reinterpret_cast<const char*>(bytes.data());
  FileHeader header;
  try {
    const json read = json::parse(text, text + bytes.size());  // which must outlive the loop
    for (const json& one : read.at("variables")) header.variables.push_back(variable_of(one));
  } catch (const json::exception& error) {
    refuse(fmt::format("the header that the process read is not of the protocol: {}", error.what()));
  }
  return header;
}

// The values of that many cells have as many bytes; none: more than any machine has.
std::optional<std::uint64_t> bytes_of(const std::vector<std::int64_t>& count, model::DataType type) {
  std::uint64_t bytes = model::size_of(type);
  for (const std::int64_t one : count)
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(one), &bytes)) return std::nullopt;
  return bytes;
}

std::string text_of(const json& request) {
  return request.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

struct ReaderProcess::Answer {
  json message;
  env::ReceivedPages pages;
};

ReaderProcess::ReaderProcess(std::vector<std::string> command, double patience, std::uint64_t most_bytes)
    : command_(std::move(command)), patience_(patience), most_bytes_(most_bytes) {}

std::uint64_t ReaderProcess::most_bytes() const {
  if (most_bytes_ > 0) return most_bytes_;
  return env::memory_left().value_or(std::numeric_limits<std::uint64_t>::max()) / 2;
}

void ReaderProcess::start() {
  const std::lock_guard lock(mutex_);
  if (is_interrupted_) refuse("the server ends", ReaderTrouble::lost);
  if (child_) return;
  child_ = std::make_unique<env::Child>(command_);
  ++processes_;
}

std::unique_ptr<env::Child> ReaderProcess::give_up() {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<env::Child> child = std::move(child_);
  if (is_interrupted_) refuse("the server ends", ReaderTrouble::lost);
  return child;
}

void ReaderProcess::interrupt() {
  const std::lock_guard lock(mutex_);
  is_interrupted_ = true;
  if (child_) child_->interrupt();
}

ReaderProcess::Answer ReaderProcess::ask(const std::string& request, double seconds) {
  start();
  auto answer = child_->send(request) ? child_->receive_with_pages(seconds) : std::nullopt;
  if (!answer) {
    const std::unique_ptr<env::Child> lost = give_up();
    if (lost->is_heard())
      refuse(fmt::format("the process that reads did not answer within {} s", seconds), ReaderTrouble::late);
    refuse(fmt::format("the process that reads {}; the file may be damaged", lost->ending()),
           ReaderTrouble::lost);
  }
  json read = json::parse(answer->message, nullptr, false);
  if (!read.is_object()) {
    give_up();
    refuse("the process that reads sent no answer of the protocol");
  }
  if (const auto error = read.find("error"); error != read.end() && error->is_string())
    refuse(error->get<std::string>(), trouble_of(read));
  return {std::move(read), std::move(answer->pages)};
}

ReaderProcess::OpenFile ReaderProcess::open_in_process(Known& known) {
  json request{{"do", "open"}, {"file", known.path}};
  if (!known.identity.empty()) request["expected"] = known.identity;
  const Answer answer = ask(text_of(request), patience_);
  if (const auto number = answer.message.find("file");
      number == answer.message.end() || !number->is_number_integer())
    refuse("the process that reads sent no number of the file");
  OpenFile open;
  open.header = header_of(answer.pages.bytes());
  open.more = answer.message.value("more", false);
  open.identity = answer.message.value("identity", "");
  known.in_process = answer.message.at("file");
  known.process = processes_;
  known.identity = open.identity;
  known.is_stream = open.more;
  return open;
}

ReaderProcess::OpenFile ReaderProcess::open(const std::string& path, const std::string& expected) {
  Known known{.path = path, .identity = expected};
  OpenFile open = open_in_process(known);
  open.number = next_++;
  files_[open.number] = std::move(known);
  return open;
}

ReaderProcess::Known& ReaderProcess::opened(std::int64_t file) {
  const auto found = files_.find(file);
  if (found == files_.end()) refuse("no file of this number is open");
  Known& known = found->second;
  if (child_ && known.process == processes_) return known;
  if (known.is_stream)
    refuse("the process that followed the stream ended, and its records with it", ReaderTrouble::lost);
  open_in_process(known);
  return known;
}

env::ReceivedPages ReaderProcess::read(std::int64_t file, const VariableHeader& variable,
                                       const std::vector<std::int64_t>& start,
                                       const std::vector<std::int64_t>& count) {
  const auto expected = bytes_of(count, variable.type);
  const bool is_small = expected && most_bytes_ == 0 && *expected <= always_allowed;
  if (!is_small && (!expected || *expected > most_bytes()))
    refuse(fmt::format("{} values of {} are too large to be read at once; expected at most {} bytes",
                       fmt::join(count, " x "), variable.name, most_bytes()));
  Answer answer = ask(text_of({{"do", "read"},
                               {"file", opened(file).in_process},
                               {"variable", variable.name},
                               {"start", start},
                               {"count", count}}),
                      patience_);
  if (answer.pages.bytes().size() != *expected)
    refuse(fmt::format("the process that reads delivered {} bytes of {}; expected {}",
                       answer.pages.bytes().size(), variable.name, *expected));
  const auto read = answer.message.find("read");
  const bool is_known = read != answer.message.end() && read->is_number_unsigned();
  bytes_of_last_read_ = is_known ? std::optional(read->get<std::uint64_t>()) : std::nullopt;
  return std::move(answer.pages);
}

ReaderProcess::OpenFile ReaderProcess::extend(std::int64_t file, double seconds,
                                              const std::map<std::string, std::int64_t>& from) {
  const Known& known = opened(file);
  const Answer answer =
      ask(text_of({{"do", "extend"}, {"file", known.in_process}, {"seconds", seconds}, {"from", from}}),
          patience_ + seconds);
  return {.number = file,
          .header = header_of(answer.pages.bytes()),
          .more = answer.message.value("more", false),
          .identity = known.identity};
}

void ReaderProcess::close(std::int64_t file) {
  const auto found = files_.find(file);
  if (found == files_.end()) return;
  const Known known = found->second;
  files_.erase(found);
  if (child_ && known.process == processes_)
    ask(text_of({{"do", "close"}, {"file", known.in_process}}), patience_);
}

}  // namespace tailrace::input
