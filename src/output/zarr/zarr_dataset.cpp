#include "output/zarr/zarr_dataset.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "output/checks.hpp"

namespace tailrace::output::zarr {

std::vector<const VariableSpec*> growing_variables(const DatasetSpec& spec) {
  std::vector<const VariableSpec*> all;
  for (const VariableSpec& variable : spec.variables)
    if (grows(spec, variable)) all.push_back(&variable);
  std::stable_partition(all.begin(), all.end(), [&](const VariableSpec* variable) {
    return spec.dims[base::index(variable->dims[0])].name != variable->name;
  });
  return all;
}

void set_lengths(const DatasetSpec& spec, const std::vector<std::int64_t>& lengths, Json& group) {
  for (const VariableSpec* variable : growing_variables(spec))
    arrays_in(group)[variable->name]["shape"][0] = lengths[base::index(variable->dims[0])];
}

void write_arrays(Store& store, const Json& group, const std::vector<const VariableSpec*>& variables) {
  store.settle();
  for (const VariableSpec* variable : variables)
    store.replace(variable->name + "/" + metadata_name, text_of(arrays_in(group)[variable->name]));
}

std::vector<std::int64_t> lengths_to_begin(const DatasetSpec& spec) {
  auto lengths = first_lengths(spec);
  for (const auto& [dim, records] : spec.kept) lengths[base::index(dim)] = records;
  return lengths;
}

void check_in_place(Store& store) {
  if (!store.is_in_place())
    throw Error(ErrorCode::resource,
                "was removed, or replaced by another program, while this run was writing it");
}

ZarrDataset::ZarrDataset(const DatasetSpec& spec, std::unique_ptr<Store> store, Json group,
                         std::vector<std::int64_t> lengths)
    : spec_(spec),
      owned_(std::move(store)),
      store_(*owned_),
      group_(std::move(group)),
      writer_(spec_, store_, std::move(lengths)) {}

void ZarrDataset::close() {
  closed_ = true;
  store_.close();
}

void ZarrDataset::commit(const Commit& commit) {
  TAILRACE_ASSERT(!closed_, "commit to a closed dataset");
  const std::vector<std::int64_t>& before = writer_.lengths();
  auto lengths = lengths_after(spec_, before, commit);
  about(spec_.path, [&] {
    check_in_place(store_);
    writer_.write(commit.chunks);
    for (const PlainValues& values : commit.values) writer_.write(values);
    if (lengths == before && commit.attributes.empty()) return;
    std::vector<const VariableSpec*> changed;
    for (const VariableSpec* variable : growing_variables(spec_)) {
      const auto dim = base::index(variable->dims[0]);
      if (lengths[dim] != before[dim]) changed.push_back(variable);
    }
    Json group = group_;
    set_lengths(spec_, lengths, group);
    for (const LateAttribute& late : commit.attributes) {
      set_attribute(spec_, late, group);
      if (late.variable >= 0) changed.push_back(&spec_.variables[base::index(late.variable)]);
    }
    write_arrays(store_, group, changed);
    store_.replace_root(text_of(group));
    group_ = std::move(group);
  });
  writer_.set_lengths(std::move(lengths));
}

}  // namespace tailrace::output::zarr
