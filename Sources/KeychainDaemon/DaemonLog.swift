// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Messages of the daemon on standard error: what it does as a service, never what a program stores or asks.
struct DaemonLog: Sendable {
    /// Whether the journal reads them, which takes a level from the beginning of a line (sd-daemon(3)).
    private let hasLevels: Bool

    /// Where messages go.
    private let descriptor: Int32

    init(descriptor: Int32 = STDERR_FILENO, hasLevels: Bool = getenv("JOURNAL_STREAM") != nil) {
        self.descriptor = descriptor
        self.hasLevels = hasLevels
    }

    /// How much a message matters (syslog(3)).
    enum Level: Int {
        case error = 3
        case warning = 4
        case notice = 5
        case information = 6
    }

    /// Writes one line.
    func write(_ level: Level, _ message: String) {
        let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        let text = (hasLevels ? "<\(level.rawValue)>" : "") + "keychaind: \(line)\n"
        let bytes = Array(text.utf8)
        // What cannot be written is lost: nobody else is there to be told.
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}
