// SPDX-License-Identifier: Apache-2.0

/// The exit statuses of `keychaind`.
package enum DaemonStatus: Int32, Sendable {
    /// It was requested to stop, or another daemon serves the store already.
    case done = 0
    /// It cannot serve.
    case failed = 1
    /// The command line is invalid.
    case usage = 2
    /// The store is embedded: programs open it themselves.
    case storeIsEmbedded = 3
}
