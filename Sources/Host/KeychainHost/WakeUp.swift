// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainSupport

/// Wakes a thread out of poll(2) or epoll(7).
///
/// An object, so that a late signal never reaches another file with the same descriptor.
package final class WakeUp: Sendable {
    /// Readable while there is a signal.
    package let descriptor: Int32

    /// Returns `nil` when the process has no descriptor left.
    package init?() {
        descriptor = CSupport.event()
        if descriptor < 0 { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Wakes the thread, now or when it waits next.
    package func signal() {
        var one: UInt64 = 1
        write(descriptor, &one, MemoryLayout.size(ofValue: one))
    }

    /// Takes the signals back.
    package func clear() {
        var count: UInt64 = 0
        read(descriptor, &count, MemoryLayout.size(ofValue: count))
    }
}
