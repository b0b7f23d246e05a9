// SPDX-License-Identifier: Apache-2.0

import KeychainHost

/// A value that can be taken once.
final class Once<Value: Sendable>: Sendable {
    private let value: ForkSafe<Value?>

    init(_ value: Value) { self.value = ForkSafe(value) }

    /// The value; `nil` if it was taken before.
    func take() -> Value? { value.withLock { $0.take() } }
}
