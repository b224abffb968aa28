// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pass that says which attentions couple their heads.
#ifndef REPORT_MIXERS_H
#define REPORT_MIXERS_H

/// Registers the pass `report-mixers`.
void registerReportMixers();

#endif // REPORT_MIXERS_H
