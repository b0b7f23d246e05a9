// SPDX-License-Identifier: Apache-2.0

/// A part of the log that the system service keeps of the requests of a user's programs.
package struct AuditPage: Sendable, Hashable {
    /// Whether requests are logged now.
    package var isOn: Bool
    /// The entries, each a JSON object, oldest first; empty after the last page.
    package var lines: [String]
    /// The number of the last entry, after which the next page begins.
    package var end: Int
    /// The number of lines of the log that are not entries; in the first page only.
    package var unreadable: Int

    /// A page; without entries, it is the one after the last.
    package init(isOn: Bool, lines: [String] = [], end: Int = 0, unreadable: Int = 0) {
        self.isOn = isOn
        self.lines = lines
        self.end = end
        self.unreadable = unreadable
    }

    /// The maximum number of bytes of the entries of a page, unless it has one entry only: 1 MiB.
    package static let byteCount = 1 << 20
}
