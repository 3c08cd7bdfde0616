#include "output/zarr/zarr_writer.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "output/checks.hpp"
#include "output/zarr/zarr_dataset.hpp"

namespace tailrace::output::zarr {

ZarrWriter::ZarrWriter(const DatasetSpec& spec, std::unique_ptr<FolderStore> store)
    : spec_(spec), store_(std::move(store)), writer_(spec_, *store_, lengths_to_begin(spec)) {}

void ZarrWriter::commit(const Commit& commit) {
  TAILRACE_ASSERT(!closed_, "commit to a closed dataset");
  TAILRACE_ASSERT(commit.values.empty() && commit.attributes.empty(), "values are committed by the home");
  auto lengths = lengths_after(spec_, writer_.lengths(), commit);
  about(spec_.path, [&] {
    if (!has_mark_) store_->take_writer_mark(spec_.writers->token);
    has_mark_ = true;
    check_in_place(*store_);
    writer_.write(commit.chunks);
  });
  writer_.set_lengths(std::move(lengths));
}

void ZarrWriter::close() {
  closed_ = true;
  store_->close();
}

}  // namespace tailrace::output::zarr
