// The parts of a preview that do not depend on whether a model is known.
#pragma once

#include "input/preview/preview.hpp"
#include "input/timeline.hpp"

namespace tailrace::input {

// Fills in all that follows from the records: coverage, warnings, and the records that are held.
// `is_read_once` must be set. Throws Error(resource) for a rule of time that cannot be applied.
void add_records(const Timeline& timeline, const Entry& entry, const FieldRequest& request,
                 const PreviewContext& context, FieldPreview& field);

// Throws Error(configuration) with these lines.
[[noreturn]] void refuse_with(const std::vector<std::string>& lines);

// A preview without a model, of an entry that is no stream: as in preview.hpp.
EntryPreview survey(const Entry& entry, const PreviewContext& context);

}  // namespace tailrace::input
