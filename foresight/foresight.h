// Everything that the library offers to other projects. Start at problem/state.h and
// policy/policy.h; examples/ has whole programs.
//
//   #include <foresight/foresight.h>
//
// This is the list of public headers, which CMake and the tests read: these are installed, and they
// include no others. All other headers are internal.
#pragma once

// What a spec string names, and how errors, progress and random numbers work.
#include "foresight/base/atomic_file.h"
#include "foresight/base/error.h"
#include "foresight/base/format.h"
#include "foresight/base/options.h"
#include "foresight/base/progress.h"
#include "foresight/base/registry.h"
#include "foresight/base/rng.h"
#include "foresight/base/statistics.h"
#include "foresight/base/version.h"

// Instances, where they come from, and the problems that they pose.
#include "foresight/data/base_graph.h"
#include "foresight/data/dataset.h"
#include "foresight/data/figures.h"
#include "foresight/data/horizon.h"
#include "foresight/data/instance.h"
#include "foresight/data/select.h"
#include "foresight/data/source.h"
#include "foresight/problem/bound.h"
#include "foresight/problem/problem.h"
#include "foresight/problem/state.h"
#include "foresight/problem/units.h"
#include "foresight/solve/assignment.h"
#include "foresight/solve/limits.h"
#include "foresight/solve/solver.h"

// Policies, and the loop that plays them.
#include "foresight/policy/play.h"
#include "foresight/policy/policy.h"

// Policies that learn.
#include "foresight/features/features.h"
#include "foresight/model/checkpoint.h"
#include "foresight/model/feed.h"
#include "foresight/model/fit.h"
#include "foresight/model/model.h"
#include "foresight/model/resolve.h"
#include "foresight/nn/adam.h"
#include "foresight/nn/network.h"
#include "foresight/nn/parameters.h"
#include "foresight/train/run.h"
#include "foresight/train/run_record.h"
#include "foresight/train/seeds.h"
#include "foresight/train/trainer.h"

// Results.
#include "foresight/auto/auto.h"
#include "foresight/eval/episode.h"
#include "foresight/eval/evaluate.h"
#include "foresight/eval/matchings.h"
#include "foresight/export/onnx.h"
#include "foresight/report/report.h"
#include "foresight/report/study.h"

// The command line as a function; link foresight::program.
#include "foresight/cli/program.h"
