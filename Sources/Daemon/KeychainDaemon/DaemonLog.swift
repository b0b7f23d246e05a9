// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainEngine

/// Messages of the daemon on standard error: about the service, never about what a program stores or requests.
struct DaemonLog: Sendable {
    /// Whether the journal reads them, which parses a level at the beginning of a line (sd-daemon(3)).
    private let hasLevels: Bool

    /// The destination of messages.
    private let descriptor: Int32

    init(descriptor: Int32 = STDERR_FILENO, hasLevels: Bool = getenv("JOURNAL_STREAM") != nil) {
        self.descriptor = descriptor
        self.hasLevels = hasLevels
    }

    /// The severity of a message (syslog(3)).
    enum Level: Int {
        case error = 3
        case warning = 4
        case notice = 5
        case information = 6
    }

    /// Writes that a store got another version; nothing of other events.
    func noteStoreVersion(_ event: DeviceEvent) {
        guard case .storeVersionChanged(let change) = event else { return }
        write(change.excludesPrograms ? .warning : .notice, change.text)
    }

    /// Writes one line.
    func write(_ level: Level, _ message: String) {
        let line = message.split(whereSeparator: \.isNewline).joined(separator: " ").printable
        let text = (hasLevels ? "<\(level.rawValue)>" : "") + "keychaind: \(line)\n"
        let bytes = Array(text.utf8)
        // A message that cannot be written is lost.
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}
