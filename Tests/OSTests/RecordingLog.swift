// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization

@testable import OSServices

/// What a log was given.
final class Record: Sendable {
    let lines = Mutex<[String]>([])

    /// A log that keeps what it is given, from a level up.
    func log(from level: Logging.Logger.Level = .trace) -> OSLog {
        OSLog { [self] in
            var logger = Logging.Logger(label: "test") { _ in Handler(record: self) }
            logger.logLevel = level
            return logger
        }
    }

    /// The lines, and forgets them.
    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    private struct Handler: LogHandler {
        let record: Record
        var logLevel = Logging.Logger.Level.trace
        var metadata: Logging.Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { record.lines.withLock { $0.append("\(event.level): \(event.message)") } }
    }
}
