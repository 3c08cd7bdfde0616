#include "session/component.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/bytes.hpp"
#include "session/analysis.hpp"
#include "session/stream.hpp"
#include "telemetry/timer.hpp"

namespace tailrace::session {
namespace {

// A commit is made at the latest when this part of the server's memory has gathered for the files of a
// component.
constexpr std::size_t commit_share = 4;

std::vector<std::byte> fill_bytes(const output::VariableSpec& spec) {
  return model::dispatch(spec.type, [&](auto zero) {
    const auto value = static_cast<decltype(zero)>(spec.fill_value.value_or(0.0));
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  });
}

// Counts the time that encoding takes.
class TimedCodec final : public codecs::Codec {
 public:
  TimedCodec(std::shared_ptr<const codecs::Codec> codec, FileServices services)
      : codec_(std::move(codec)), services_(services) {}
  std::vector<std::byte> encode(std::span<const std::byte> chunk, std::size_t element_size) const override {
    const telemetry::PhaseTimer timer(services_.counters, telemetry::Phase::encode, services_.trace);
    return codec_->encode(chunk, element_size);
  }
  std::vector<std::byte> decode(std::span<const std::byte> encoded, std::size_t chunk_bytes,
                                std::size_t element_size) const override {
    return codec_->decode(encoded, chunk_bytes, element_size);
  }
  std::vector<codecs::Filter> filters(std::size_t element_size) const override {
    return codec_->filters(element_size);
  }

 private:
  std::shared_ptr<const codecs::Codec> codec_;
  FileServices services_;
};

}  // namespace

ServedComponent::ServedComponent(ComponentInfo info, messaging::Messenger& messenger, FileServices services)
    : info_(std::move(info)),
      messenger_(messenger),
      services_(services),
      plan_(make_plan(info_.configuration, info_.declarations, &info_.decomposition)),
      sample_axes_(plan_, info_.begin),
      clock_axes_(plan_, info_.begin),
      outbox_(messenger, info_.number * words_per_component + static_cast<std::int32_t>(Word::bundle)) {
  if (plan_.analysis) {
    info_.decomposition = with_diagnostics(*plan_.analysis, info_.decomposition);
    info_.declarations = plan_.analysis->declarations;
  }
  for (const FilePlan& file : plan_.files)
    layouts_.push_back(
        make_layout(file, info_.configuration, info_.declarations, info_.decomposition, info_.history));
  make_streams();
  const std::size_t most_bytes =
      info_.configuration.servers.memory / commit_share / std::max<std::size_t>(1, plan_.files.size());
  for (std::size_t f = 0; f < plan_.files.size(); ++f) {
    std::vector<std::size_t> bytes;
    for (std::size_t axis = 0; axis < plan_.files[f].axes.size(); ++axis)
      bytes.push_back(bytes_per_record(f, axis));
    clocks_.emplace_back(plan_.files[f], f, plan_.calendar, info_.begin, std::move(bytes), most_bytes);
  }
  files_.resize(plan_.files.size());
  progress_.resize(plan_.files.size());
  listen();
}

ServedComponent::~ServedComponent() {
  while (in_work_.load(std::memory_order_acquire) > 0) std::this_thread::yield();
}

void ServedComponent::make_streams() {
  streams_of_field_.resize(info_.declarations.fields.size());
  for (std::size_t f = 0; f < layouts_.size(); ++f) {
    for (std::size_t v = 0; v < layouts_[f].variables.size(); ++v) {
      streams_.push_back(make_stream(f, v));
      streams_of_field_[static_cast<std::size_t>(layouts_[f].variables[v].field)].push_back(
          streams_.back().get());
    }
  }
}

std::unique_ptr<ServedComponent::Stream> ServedComponent::make_stream(std::size_t file,
                                                                      std::size_t variable) {
  const VariableLayout& layout = layouts_[file].variables[variable];
  const output::VariableSpec& spec =
      layouts_[file].dataset.variables[static_cast<std::size_t>(layout.variable)];
  const model::Field& field = info_.declarations.fields[static_cast<std::size_t>(layout.field)];
  auto stream = std::make_unique<Stream>();
  stream->number = streams_.size();
  stream->file = file;
  stream->variable = variable;
  stream->input = field.type;
  stream->output = spec.type;
  if (layout.plan >= 0) {
    const VariablePlan& plan = plan_.files[file].variables[static_cast<std::size_t>(layout.plan)];
    stream->reduction = plan.reduction;
    stream->file_axis = plan.axis;
    stream->axis = sample_axes_.number(file, static_cast<std::size_t>(plan.axis));
    stream->at_end =
        plan_.files[file].axes[static_cast<std::size_t>(plan.axis)].kind == time::AxisKind::at_end;
  }
  stream->diagnostic =
      plan_.analysis && std::ranges::count(plan_.analysis->field_of_diagnostic, layout.field) > 0;
  stream->geometry = &geometry(field.grid, layout);
  std::int64_t cells = 1;
  for (const std::int64_t extent : layout.shape) cells *= extent;
  stream->record_bytes = static_cast<std::size_t>(cells) * model::size_of(spec.type);
  // A contiguous variable is handed over whole and unencoded.
  auto codec = std::make_shared<TimedCodec>(
      codecs::make_codec(spec.chunk.empty() ? codecs::CodecOptions{} : spec.codec), services_);
  stream->fill = fill_bytes(spec);
  stream->assembly =
      std::make_unique<output::Assembly>(stream->geometry->grid(), spec.type, std::move(codec), stream->fill,
                                         [this, number = stream->number](output::FinishedChunk&& chunk) {
                                           chunk_done(number, std::move(chunk));
                                         });
  return stream;
}

Geometry& ServedComponent::geometry(int grid, const VariableLayout& layout) {
  std::vector<std::int64_t> key = layout.chunk;
  key.push_back(layout.records_per_chunk);
  auto& slot = geometries_[{grid, std::move(key)}];
  if (!slot) {
    slot = std::make_unique<Geometry>(output::ChunkGrid{layout.shape, layout.chunk, layout.records_per_chunk},
                                      info_.decomposition.regions[static_cast<std::size_t>(grid)]);
  }
  return *slot;
}

std::size_t ServedComponent::bytes_per_record(std::size_t file, std::size_t axis) const {
  std::size_t bytes = 0;
  for (const auto& stream : streams_)
    if (stream->file == file && stream->file_axis == static_cast<int>(axis)) bytes += stream->record_bytes;
  return bytes;
}

int ServedComponent::file_owner(std::size_t file) const {
  return static_cast<int>((file + static_cast<std::size_t>(info_.number)) %
                          static_cast<std::size_t>(messenger_.size()));
}

void ServedComponent::listen() {
  const std::int32_t base = info_.number * words_per_component;
  const auto on = [&](Word word, messaging::Messenger::Handler handler) {
    messenger_.on(base + static_cast<std::int32_t>(word), std::move(handler));
  };
  on(Word::tick, [this](int, messaging::Bytes&& message) {
    base::ByteReader reader(message);
    on_tick(reader.get<model::Tick>());
  });
  on(Word::final_tick, [this](int, messaging::Bytes&&) { on_final_tick(); });
  const auto fault = [this](const messaging::Bytes& message, bool fatal) {
    base::ByteReader reader(message);
    const auto code = reader.get<ErrorCode>();
    on_fault({code, reader.get_text()}, fatal);
  };
  on(Word::fault, [fault](int, messaging::Bytes&& message) { fault(message, false); });
  on(Word::fatal, [fault](int, messaging::Bytes&& message) { fault(message, true); });
  on(Word::written, [this](int, messaging::Bytes&& message) {
    base::ByteReader reader(message);
    Progress& progress = progress_[static_cast<std::size_t>(reader.get<std::int64_t>())];
    progress.written = reader.get<std::int64_t>();
  });
  on(Word::closed, [this](int, messaging::Bytes&&) { ++closed_servers_; });
  outbox_.on(piece_item, [this](std::span<const std::byte> item) { receive_piece(item); });
  outbox_.on(chunk_item, [this](std::span<const std::byte> item) { receive_chunk(item); });
}

void ServedComponent::create_files() {
  for (std::size_t f = 0; f < plan_.files.size(); ++f) {
    if (file_owner(f) == messenger_.rank())
      files_[f] = std::make_unique<OwnedFile>(plan_.files[f], layouts_[f], services_);
  }
}

void ServedComponent::start(std::vector<server::Link> links) {
  for (const auto& stream : streams_) {
    // Those of diagnostics are made with their first value, where that is.
    if (stream->file_axis < 0 || stream->copies() || stream->diagnostic) continue;
    for (const server::Link& link : links) {
      if (!sends(layouts_[stream->file].variables[stream->variable].field, link.client)) continue;
      stream->accumulators.emplace(link.client,
                                   time::make_accumulator(stream->reduction, stream->input, stream->output,
                                                          cells_of(*stream, link.client)));
    }
  }
  expect_optional_fields(links);
  if (plan_.analysis) make_engine(links);
  if (!links.empty())
    intake_ =
        std::make_unique<server::Intake>(info_.declarations.component, std::move(links), services_.executor,
                                         *this, services_.counters, services_.trace);
  started_ = true;
  for (const auto& said : std::exchange(early_, {})) said();
}

// Only what leaves without another step may hold the step back: anything else would wait for itself.
bool ServedComponent::ready_for_step() {
  if (engine_) {
    engine_->end();  // all blocks of the step before are here
    const std::size_t bound = info_.configuration.servers.memory / 4;
    if (engine_->steps() > 1 && engine_->bytes() > bound) return false;
  }
  std::size_t held =
      outbox_.bytes() + messenger_.bytes_in_flight() + held_bytes_.load(std::memory_order_relaxed);
  for (const auto& file : files_)
    if (file) held += file->due_bytes(intake_->tick().step);
  return held <= info_.configuration.servers.memory / 2;
}

void ServedComponent::count_held() {
  std::size_t held =
      outbox_.bytes() + messenger_.bytes_in_flight() + held_bytes_.load(std::memory_order_relaxed);
  for (const auto& stream : streams_) held += stream->assembly->bytes();
  for (const auto& file : files_)
    if (file) held += file->bytes();
  if (engine_) held += engine_->bytes();
  services_.counters.pending_is(held);
}

void ServedComponent::begin_step(const model::Tick& tick) {
  close_gaps();
  sample_tick_ = tick;
  sample_axes_.advance(tick);
  if (engine_) begin_analytics(tick, sample_axes_);
  count_held();
  if (messenger_.rank() != info_.leader) return;
  base::ByteWriter writer;
  writer.put(tick);
  tell(Word::tick, writer.take());
}

void ServedComponent::accept(int client, const model::RecordHeader& header,
                             std::span<const std::byte> payload) {
  for (Stream* stream : streams_of_field_[static_cast<std::size_t>(header.number)]) {
    if (header.step == model::static_step)
      emit(*stream, client, 0, payload);
    else
      reduce(*stream, client, stream->copies() ? nullptr : stream->accumulators.at(client).get(), payload,
             sample_axes_.shares(stream->axis));
  }
  note_put(header.number, client);
  if (!engine_ || header.step == model::static_step) return;
  const Input& input = input_of_field_[static_cast<std::size_t>(header.number)];
  if (input.number >= 0) engine_->accept(input.number, client, input.type, payload);
}

void ServedComponent::reduce(Stream& stream, int client, time::Accumulator* accumulator,
                             std::span<const std::byte> payload, const std::vector<time::Share>& shares) {
  for (const time::Share& share : shares) {
    if (accumulator == nullptr) {
      if (share.closes) emit(stream, client, share.record.index, payload);
      continue;
    }
    accumulator->combine(payload, share.weight, share.fraction);
    if (share.closes) close(stream, client, share.record.index);
  }
}

// A record without a single sample holds the fill value.
void ServedComponent::close(Stream& stream, int client, std::int64_t record) {
  const std::size_t cells = cells_of(stream, client);
  std::vector<std::byte> values(cells * stream.fill.size());
  time::Accumulator* accumulator = stream.copies() ? nullptr : stream.accumulators.at(client).get();
  if (accumulator != nullptr && !accumulator->empty()) {
    accumulator->finish(values);
  } else {
    base::fill_with(stream.fill, values);
  }
  emit(stream, client, record, values);
}

std::size_t ServedComponent::cells_of(const Stream& stream, int client) const {
  const int field = layouts_[stream.file].variables[stream.variable].field;
  const int grid = info_.declarations.fields[static_cast<std::size_t>(field)].grid;
  const auto& regions = info_.decomposition.regions[static_cast<std::size_t>(grid)];
  return static_cast<std::size_t>(regions[static_cast<std::size_t>(client)].size());
}

void ServedComponent::finish_windows(Stream& stream) {
  // A server without clients counts steps by what the leader tells.
  const auto record = (intake_ ? sample_axes_ : clock_axes_).axis(stream.axis).finish();
  if (!record) return;
  for (const auto& [client, accumulator] : stream.accumulators) close(stream, client, record->index);
}

void ServedComponent::work(server::Executor::Work work, bool light) {
  in_work_.fetch_add(1, std::memory_order_relaxed);
  auto counted = [this, work = std::move(work)] {
    struct Done {  // also when the work throws: the component must come to its end
      std::atomic<int>& count;
      ~Done() { count.fetch_sub(1, std::memory_order_release); }
    } const done{in_work_};
    work();
  };
  services_.executor.submit(std::move(counted), light);
}

}  // namespace tailrace::session
