// SPDX-License-Identifier: Apache-2.0
#ifndef SLOW_SYNC_H
#define SLOW_SYNC_H

/// The environment variable with the microseconds that a sync takes longer.
#define BENCHMARK_SYNC_DELAY "BENCHMARK_SYNC_DELAY"

#endif
