// The section `model_time` of a configuration: its calendar and start.
#pragma once

#include <string>

#include "calendar/calendar.hpp"
#include "config/section.hpp"

namespace tailrace::time {

struct ModelTime {
  std::string calendar = "none";  // by its CF name; none: seconds of model time
  calendar::Date start;           // at which model time is 0; not with `none`

  bool operator==(const ModelTime&) const = default;
};

config::Section<ModelTime> model_time_section();

}  // namespace tailrace::time
