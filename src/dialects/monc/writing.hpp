// Groups and files.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dialects/monc/names.hpp"
#include "dialects/monc/values.hpp"
#include "dialects/monc/vocabulary.hpp"

namespace tailrace::dialects::monc {

class Writing {
 public:
  // The parts that are written; all must live longer. `made_from` maps each diagnostic that could be
  // translated to the fields behind it.
  struct Parts {
    const Model& model;
    const Names& names;
    const Values& values;
    const std::map<const Diagnostic*, std::vector<const Field*>>& made_from;
  };
  Writing(const Parts& parts, Problems& problems, Warnings& warnings);

  Node groups();  // may be empty
  Node output();  // may be empty; after groups()

 private:
  struct Member {
    std::string full, bare;  // with and without its namespace
    Location location;       // where the group or include names it
    std::optional<std::string>
        period;          // of its samples: 4 steps, {n} steps, never; unknown where they differ
    std::string steps;   // the same for names: 4, {n}, 0
    bool split = false;  // into a variable for each q field
  };
  struct Part {  // the members of a group that are written alike
    std::string name;
    std::vector<Member> members;
  };
  struct Written {  // one variable of a file
    const Include* include;
    const Member* member;
    std::string name, suffix;
  };

  std::optional<Member> member(const std::string& space, const Word& name, const std::string& where);
  void set_period(const std::vector<const Field*>& fields, Member& member) const;
  void add_parts(const Group& group);
  Node file(const File& file);
  Node variable(const Include& include, const Member& like) const;
  Node variables(const File& file);
  Node option_tables(const File& file) const;
  std::set<std::string> names_of_maps() const;
  std::vector<const Part*> parts_of(const Include& include) const;
  void name_apart(std::vector<Written>& written) const;

  const Model& model_;
  const Names& names_;
  const Values& values_;
  const std::map<const Diagnostic*, std::vector<const Field*>>& made_from_;
  Problems& problems_;
  std::size_t mistakes_ = 0;
  Warnings& warnings_;
  std::map<std::string, std::vector<Part>> parts_;  // by group
  std::map<const Include*, Part> single_;           // of field="..."
};

// True if Tailrace can transport it: no maps, texts or flags, and no values that differ between processes.
bool is_sent(const Field& field);

}  // namespace tailrace::dialects::monc
