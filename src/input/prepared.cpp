#include "input/prepared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::input {
namespace {

// A list of members for each struct, which serves both to write and to read it, so that the two always match.
// `S` is the struct, const when it is written.
template <class S, class Visitor>
void visit_record(S& record, Visitor& visit) {
  visit(record.file);
  visit(record.index);
  visit(record.time);
  visit(record.begin);
  visit(record.end);
}

template <class S, class Visitor>
void visit_request(S& request, Visitor& visit) {
  visit(request.name);
  visit(request.location.file);
  visit(request.location.line);
  visit(request.location.column);
  visit(request.variable);
  visit(request.time.rule, TimeRule::none);
  visit(request.time.cycle.kind, CycleKind::period);
  visit(request.time.cycle.seconds);
  visit(request.time.before, Outside::extrapolate);
  visit(request.time.after, Outside::extrapolate);
  visit(request.time_offset);
  if (visit.has(request.vertical)) {
    visit(request.vertical->to);
    visit(request.vertical->options.rule, VerticalRule::logarithmic);
    visit(request.vertical->options.beyond, Beyond::missing);
  }
  if (visit.has(request.regrid)) {
    visit(request.regrid->rule.method, regrid::Method::file);
    visit(request.regrid->rule.coverage);
    visit(request.regrid->rule.normalisation, regrid::Normalisation::destarea);
    visit(request.regrid->weights);
  }
  visit(request.units);
  visit(request.scale);
  visit(request.offset);
  visit(request.missing.kind, MissingRequest::Kind::keep);
  visit(request.missing.value);
  visit(request.select);
  visit(request.may_lose_bits);
  visit(request.grid);
}

// Without the timeline.
template <class S, class Visitor>
void visit_field(S& field, Visitor& visit) {
  visit(field.field);
  visit(field.entry);
  visit_request(field.request, visit);
  visit(field.on_trouble, OnTrouble::hold);
  visit.list(field.files, [&](auto& file) { visit(file); });
  visit(field.travels_as, model::last_field_type);
  if (visit.has(field.vertical)) {
    visit.list(field.vertical->levels, [&](auto& level) { visit(level); });
    visit(field.vertical->come_with_records);
    visit(field.vertical->count);
  }
  visit(field.regridded);
  visit(field.stays);
  visit(field.may_grow);
}

struct Writing {
  base::ByteWriter& bytes;

  template <class T>
  requires std::is_arithmetic_v<T>
  void operator()(const T& value) { bytes.put(value); }
  template <class T>
  requires std::is_enum_v<T>
  void operator()(const T& value, T) { bytes.put(value); }
  void operator()(const std::string& text) { bytes.put_text(text); }
  void operator()(const Selected& selected) {
    bytes.put(std::ssize(selected));
    for (const auto& [dim, index] : selected) {
      bytes.put_text(dim);
      bytes.put(index);
    }
  }
  template <class T>
  bool has(const std::optional<T>& one) {
    bytes.put(one.has_value());
    return one.has_value();
  }
  template <class List, class Each>
  void list(const List& list, const Each& each) {
    bytes.put(std::ssize(list));
    for (const auto& one : list) each(one);
  }
};

struct Reading {
  base::ByteReader& bytes;

  template <class T>
  requires std::is_arithmetic_v<T>
  void operator()(T& value) { value = bytes.get<T>(); }
  template <class T>
  requires std::is_enum_v<T>
  void operator()(T& value, T last) {
    value = bytes.get<T>();
    TAILRACE_ASSERT(value <= last, "a message has an unknown option of an input field");
  }
  void operator()(std::string& text) { text = bytes.get_text(); }
  void operator()(Selected& selected) {
    for (std::size_t left = count(); left > 0; --left) {
      std::string dim = bytes.get_text();
      selected[std::move(dim)] = bytes.get<std::int64_t>();
    }
  }
  template <class T>
  bool has(std::optional<T>& one) {
    if (bytes.get<bool>()) one.emplace();
    return one.has_value();
  }
  template <class List, class Each>
  void list(List& list, const Each& each) {
    list.resize(count());
    for (auto& one : list) each(one);
  }
  std::size_t count() {
    const auto count = bytes.get<std::int64_t>();
    TAILRACE_ASSERT(count >= 0 && static_cast<std::size_t>(count) <= bytes.rest().size(),
                    "the message is truncated");
    return static_cast<std::size_t>(count);
  }
};

template <class Records, class Visitor>
void visit_records(Records& records, Visitor& visit) {
  visit.list(records, [&](auto& record) { visit_record(record, visit); });
}

void check_files(std::span<const Record> records, std::size_t files) {
  for (const Record& one : records)
    TAILRACE_ASSERT(one.file >= 0 && static_cast<std::size_t>(one.file) < files,
                    "a message has a record of an unknown file");
}

PreparedField get_field(base::ByteReader& reader, const calendar::Calendar& calendar) {
  Reading visit{reader};
  std::vector<Record> records;
  visit_records(records, visit);
  const bool has_bounds = reader.get<bool>(), is_climatology = reader.get<bool>();
  const auto left_out = reader.get<std::int64_t>();
  PreparedField field{
      .entry = {},
      .request = {},
      .timeline = Timeline(calendar, std::move(records), has_bounds, is_climatology, left_out),
      .files = {},
      .vertical = {}};
  visit_field(field, visit);
  check_files(field.timeline.records(), field.files.size());
  return field;
}

}  // namespace

void put_prepared(base::ByteWriter& writer, std::span<const PreparedField> fields) {
  Writing visit{writer};
  writer.put(std::ssize(fields));
  for (const PreparedField& field : fields) {
    visit_records(field.timeline.records(), visit);
    writer.put(field.timeline.has_bounds());
    writer.put(field.timeline.is_climatology());
    writer.put(field.timeline.left_out());
    visit_field(field, visit);
  }
}

std::vector<PreparedField> get_prepared(base::ByteReader& reader, const calendar::Calendar& calendar) {
  std::vector<PreparedField> fields;
  for (std::size_t left = Reading{reader}.count(); left > 0; --left)
    fields.push_back(get_field(reader, calendar));
  return fields;
}

FurtherRecords further_in(const PreparedField& before, const PreparedField& now) {
  if (now.travels_as != before.travels_as)
    throw Error(ErrorCode::resource,
                fmt::format("{}  input.{}.fields.{}: the values of {} need another type than those before",
                            now.request.location.text(), now.entry, now.request.name, now.files.back()));
  const std::vector<Record>& known = before.timeline.records();
  const double step = known.size() < 2 ? 0.0 : known.back().time - known[known.size() - 2].time;
  const double last = known.back().time + std::max(1e-6 * step, 1e-6);  // as in Timeline::finish
  FurtherRecords further;
  further.files.assign(now.files.begin() + std::ssize(before.files), now.files.end());
  std::ranges::copy_if(now.timeline.records(), std::back_inserter(further.records),
                       [last](const Record& one) { return one.time > last; });
  return further;
}

void lengthen(PreparedField& field, const FurtherRecords& further) {
  field.files.insert(field.files.end(), further.files.begin(), further.files.end());
  field.timeline.lengthen(further.records);
}

void put_further(base::ByteWriter& writer, const FurtherRecords& further) {
  Writing visit{writer};
  visit.list(further.files, [&](const std::string& file) { visit(file); });
  visit_records(further.records, visit);
}

FurtherRecords get_further(base::ByteReader& reader) {
  Reading visit{reader};
  FurtherRecords further;
  visit.list(further.files, [&](std::string& file) { visit(file); });
  visit_records(further.records, visit);
  return further;
}

}  // namespace tailrace::input
