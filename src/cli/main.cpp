// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program `heddle`: a list of subcommands.
#include <CLI/CLI.hpp>

#include "cli/commands.h"

int main(int argc, char** argv) {
  using namespace heddle::cli;
  CLI::App app("Heddle: an open implementation of PTX for CPUs", "heddle");
  app.set_version_flag("--version", "heddle " HEDDLE_VERSION " (PTX ISA 9.1)");
  app.require_subcommand(1);
  app.footer("`heddle COMMAND --help` says more about a command.");

  int status = kOk;
  add_check(app, status);
  add_explain(app, status);
  add_run(app, status);
  add_exec(app, status);
  add_fmt(app, status);
  add_isa(app, status);
  add_devices(app, status);

  // CLI11 reports wrong usage, and --help, by an exception.
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kOk : kUsage;
  }
  return status;
}
