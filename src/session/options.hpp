// The options of a configuration, each declared once; from here come reading, checking, the reference page
// and the JSON schema.
#pragma once

#include <optional>
#include <string>

#include "config/schema.hpp"

namespace tailrace::session {

const config::Type& schema();  // of the whole configuration

// Its parts, each in a file of its own.
config::Type servers_schema();
config::Type output_schema();       // of one file
config::Type diagnostics_schema();  // of one diagnostic
config::Type operators_schema();    // of one operator of the user's own
config::Type checkpoint_schema();
config::Type input_schema();  // of one input

// Types that several parts use.
config::Type period_type();                   // 10 s, 5 steps, 1 month
config::Type period_or_never_type();          // the same; or `never`, which `0 steps` is too
config::Type duration_type(bool may_be_off);  // a length of time: 60 s, 5 min; or `off`
config::Type date_type();                     // 2026-01-01T06:00:00

bool is_never(const std::string& period);  // of the latter type
std::optional<std::string> variable_name_complaint(const std::string& name);

}  // namespace tailrace::session
