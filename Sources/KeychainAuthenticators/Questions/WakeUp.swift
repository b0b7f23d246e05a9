// SPDX-License-Identifier: Apache-2.0

import Glibc

@_implementationOnly import CKeychainSupport

/// What wakes a thread out of poll(2).
///
/// An object, so that a late signal never reaches another file that was given the same number.
final class WakeUp: Sendable {
    let descriptor: Int32

    /// Returns `nil` when the process has no descriptor left.
    init?() {
        descriptor = keychain_event()
        if descriptor < 0 { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func signal() {
        var one: UInt64 = 1
        write(descriptor, &one, MemoryLayout.size(ofValue: one))
    }

    /// Takes the signals back.
    func clear() {
        var count: UInt64 = 0
        read(descriptor, &count, MemoryLayout.size(ofValue: count))
    }
}
