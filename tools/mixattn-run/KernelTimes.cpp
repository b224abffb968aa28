// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Figures of kernels, and their table.
#include "tools/mixattn-run/KernelTimes.h"
#include <algorithm>
#include <cstdio>

using namespace mixattn;

/// Of a kernel's time, where a stage is worth a line.
static constexpr double leastShare = 0.01;

namespace {
/// The sum over the stages of a kernel.
struct StageSum {
  double ticks = 0, busyTicks = 0, threadTicks = 0, runs = 0, threads = 0;
  /// Ticks by name, in the order of the stages.
  std::vector<std::pair<std::string, double>> byName;

  void add(const Kernel::Stage &stage, const Profile::Stage &told);
};
} // namespace

void StageSum::add(const Kernel::Stage &stage, const Profile::Stage &told) {
  double own = static_cast<double>(told.ticks);
  ticks += own;
  runs = std::max(runs, static_cast<double>(told.runs));
  if (told.runs && told.threadRuns) {
    double team =
        static_cast<double>(told.threadRuns) / static_cast<double>(told.runs);
    threads = std::max(threads, team);
    threadTicks += team * own;
    busyTicks += static_cast<double>(told.busyTicks);
  }
  for (auto &[name, sum] : byName)
    if (name == stage.name) {
      sum += own;
      return;
    }
  byName.emplace_back(stage.name, own);
}

static std::optional<double> rateOf(const std::optional<Polynomial> &count,
                                    const DimSizes &dims, double runs,
                                    double seconds) {
  if (!count || count->terms.empty() || seconds <= 0)
    return std::nullopt;
  return runs * count->in(dims) / seconds;
}

CallTime mixattn::timesOf(const Profile &profile, const Entry &entry,
                          const DimSizes &dims) {
  CallTime times;
  times.calls = profile.calls;
  times.lost = profile.lost;
  double calls = static_cast<double>(profile.calls);
  double total = static_cast<double>(profile.ticks);
  auto secondsOf = [&](double ticks) {
    return ticks * profile.secondsPerTick / calls;
  };
  auto shareOf = [&](double ticks) { return total > 0 ? ticks / total : 0; };
  double outside = total;
  for (const Kernel &kernel : *entry.kernels) {
    StageSum sum;
    for (const Kernel::Stage &stage : kernel.stages)
      if (auto told = profile.stages.find(stage.number);
          told != profile.stages.end())
        sum.add(stage, told->second);
    if (sum.runs == 0)
      continue;
    outside -= sum.ticks;
    auto slowest = std::max_element(
        sum.byName.begin(), sum.byName.end(),
        [](const auto &a, const auto &b) { return a.second < b.second; });
    KernelTime time;
    time.kernel = &kernel;
    time.name = slowest->first;
    time.seconds = secondsOf(sum.ticks);
    time.share = shareOf(sum.ticks);
    time.runs = sum.runs / calls;
    time.flops = rateOf(kernel.flops, dims, time.runs, time.seconds);
    time.bytes = rateOf(kernel.bytes, dims, time.runs, time.seconds);
    time.threads = sum.threads;
    if (sum.threadTicks > 0)
      time.busy = sum.busyTicks / sum.threadTicks;
    for (const auto &[name, ticks] : sum.byName)
      if (ticks >= leastShare * sum.ticks)
        time.stages.emplace_back(name, secondsOf(ticks));
    if (time.stages.size() < 2)
      time.stages.clear();
    times.kernels.push_back(std::move(time));
  }
  std::sort(times.kernels.begin(), times.kernels.end(),
            [](const KernelTime &a, const KernelTime &b) {
              return std::pair(b.seconds, a.kernel) <
                     std::pair(a.seconds, b.kernel);
            });
  outside = std::max(outside, 0.0);
  times.seconds = secondsOf(total);
  times.outside = secondsOf(outside);
  times.outsideShare = shareOf(outside);
  return times;
}

namespace {
/// A row of the table: numbers to the right, texts to the left.
struct Row {
  std::vector<std::string> numbers, texts;
};
} // namespace

static std::string toText(const char *format, double number) {
  char text[64];
  snprintf(text, sizeof(text), format, number);
  return text;
}

/// The place, and the lines of the calls that it stands in.
static std::string placeOf(const Kernel &kernel) {
  std::string file = kernel.place.substr(0, kernel.place.find(':') + 1);
  std::string text = kernel.place;
  for (size_t i = 0; i < kernel.calledAt.size(); ++i) {
    const std::string &call = kernel.calledAt[i];
    bool isSame = !file.empty() && call.compare(0, file.size(), file) == 0;
    text += (i == 0 ? " called at " : ", ") +
            (isSame ? call.substr(file.size()) : call);
  }
  return text;
}

static std::vector<Row> rowsOf(const CallTime &times) {
  std::vector<Row> rows = {
      {{"share", "ms/call", "GFLOP/s", "GB/s", "runs", "threads", "busy"},
       {"kernel", "op", "place"}}};
  auto percent = [](double share) { return toText("%.2f %%", 100 * share); };
  auto milliseconds = [](double seconds) {
    return toText("%.4g", 1000 * seconds);
  };
  auto rate = [](std::optional<double> known) {
    return known ? toText("%.4g", *known / 1e9) : std::string("-");
  };
  for (const KernelTime &time : times.kernels) {
    bool hasThreads = time.threads > 0;
    rows.push_back(
        {{percent(time.share), milliseconds(time.seconds), rate(time.flops),
          rate(time.bytes), toText("%.4g", time.runs),
          hasThreads ? toText("%.4g", time.threads) : "-",
          hasThreads ? toText("%.0f %%", 100 * time.busy) : "-"},
         {time.name, time.kernel->op, placeOf(*time.kernel)}});
    for (const auto &[name, seconds] : time.stages)
      rows.push_back({{"", milliseconds(seconds), "", "", "", "", ""},
                      {"  " + name, "", ""}});
  }
  rows.push_back({{percent(times.outsideShare), milliseconds(times.outside),
                   "-", "-", "-", "-", "-"},
                  {"outside of kernels", "", ""}});
  rows.push_back({{percent(times.seconds > 0 ? 1 : 0),
                   milliseconds(times.seconds), "", "", "", "", ""},
                  {"call, mean of " + std::to_string(times.calls), "", ""}});
  return rows;
}

std::string mixattn::toTable(const CallTime &times) {
  std::vector<Row> rows = rowsOf(times);
  std::vector<size_t> numberWidths(rows[0].numbers.size()),
      textWidths(rows[0].texts.size());
  auto measure = [](std::vector<size_t> &widths,
                    const std::vector<std::string> &cells) {
    for (size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], cells[i].size());
  };
  for (const Row &row : rows) {
    measure(numberWidths, row.numbers);
    measure(textWidths, row.texts);
  }
  std::string text;
  for (const Row &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.numbers.size(); ++i)
      line += std::string(numberWidths[i] - row.numbers[i].size(), ' ') +
              row.numbers[i] + "  ";
    for (size_t i = 0; i < row.texts.size(); ++i)
      line += row.texts[i] +
              std::string(textWidths[i] - row.texts[i].size() + 2, ' ');
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  if (times.lost)
    text += std::to_string(times.lost) + " events were lost\n";
  return text;
}
