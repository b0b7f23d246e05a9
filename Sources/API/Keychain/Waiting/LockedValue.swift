// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value behind a lock; the standard library's lock needs newer Apple systems than this module does.
final class LockedValue<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: sending Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
