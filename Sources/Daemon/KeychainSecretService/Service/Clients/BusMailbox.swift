// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import Synchronization

/// What other threads have for the thread of the bus to do.
final class BusMailbox: Sendable {
    /// Something to do there.
    typealias Letter = @Sendable (SecretService) -> Void

    /// Readable while something is to be done.
    let descriptor: Int32

    private let letters = Mutex<[Letter]>([])

    /// An empty one; `nil` if there are no descriptors left.
    init?() {
        descriptor = keychain_event()
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Adds something to do.
    func post(_ letter: @escaping Letter) {
        letters.withLock { $0.append(letter) }
        var one: UInt64 = 1
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Takes everything that is to be done.
    func take() -> [Letter] {
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
        return letters.withLock { letters in
            defer { letters = [] }
            return letters
        }
    }
}
