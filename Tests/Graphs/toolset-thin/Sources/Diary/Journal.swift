// SPDX-License-Identifier: Apache-2.0

import os
import os.lock

/// What happened, with a lock of each kind.
public final class Journal: @unchecked Sendable {
    private static let logger = Logger(subsystem: "com.example.diary", category: "journal")
    private let entries = OSAllocatedUnfairLock(initialState: [String]())
    private let counted: UnsafeMutablePointer<os_unfair_lock> = .allocate(capacity: 1)
    private var count = 0

    /// An empty journal.
    public init() { counted.initialize(to: os_unfair_lock()) }

    deinit { counted.deallocate() }

    /// Adds an entry.
    public func add(_ entry: String) {
        entries.withLock { $0.append(entry) }
        os_unfair_lock_lock(counted)
        count += 1
        os_unfair_lock_unlock(counted)
        Self.logger.notice("added \(entry), \(self.count) in all")
    }

    /// All entries.
    public var all: [String] { entries.withLock { $0 } }
}
