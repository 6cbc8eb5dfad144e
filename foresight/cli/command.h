// The commands of the program. Each file adds one to the parser. Errors are thrown as Error.
#pragma once

#include <string>

#include "foresight/auto/auto.h"
#include "foresight/cli/arguments.h"
#include "foresight/cli/program.h"
#include "foresight/problem/bound.h"
#include "foresight/report/report.h"

namespace foresight {

void add_list_command(CommandParser& parser);
void add_generate_command(CommandParser& parser);
void add_split_command(CommandParser& parser);
void add_merge_command(CommandParser& parser);
void add_solve_command(CommandParser& parser);
void add_evaluate_command(CommandParser& parser);
void add_ceiling_command(CommandParser& parser);
void add_train_command(CommandParser& parser);
void add_inspect_command(CommandParser& parser);
void add_export_command(CommandParser& parser);
void add_report_command(CommandParser& parser);
void add_reproduce_command(CommandParser& parser);
void add_demo_command(CommandParser& parser);
void add_bench_command(CommandParser& parser);

/// An option that commands share.
void add_json_option(Command command, std::string& path);

/// Opens a dataset file, or all instances of a source of recorded ones. Throws Error(kUsage) for a
/// source without an end.
BoundDataset open_finite_data(const std::string& text);

/// A word as it can be typed in a shell.
std::string shell_quoted(const std::string& word);

/// The command line as it can be typed again, to be stored in results.
const std::string& command_line();

/// The name with which the program was called, for hints that can be typed unchanged.
const std::string& program_name();

/// The cell of a table; empty for policies below the reference.
std::string gap_closed(const PolicyResult& result);

/// A short table for each evaluation in it.
void print_results(const Report& report);

/// What a search found, in money and ratio, and what to use.
void print_search(const AutoResult& found);

}  // namespace foresight
