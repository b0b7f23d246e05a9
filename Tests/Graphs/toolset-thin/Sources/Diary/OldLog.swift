// SPDX-License-Identifier: Apache-2.0

import OSLog
import os.log

private let log = OSLog(subsystem: "com.example.diary", category: "old")

/// Logs as code did before there was Logger.
public func logOpening(of name: String) {
    os_log("opened %@, %{public}@", log: log, type: .error, name, "the diary")
    Logger(log).debug("opened \(name)")
}
