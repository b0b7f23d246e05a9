// SPDX-License-Identifier: Apache-2.0

/// A value that is taken once, and not kept any longer.
final class Once<Value: Sendable>: @unchecked Sendable {
    private let lock = ForkSafeLock()
    // Under the lock.
    private var value: Value?

    init(_ value: Value) { self.value = value }

    /// The value; `nil` when it was taken before.
    func take() -> Value? {
        lock.acquire()
        defer { lock.release() }
        return value.take()
    }
}
