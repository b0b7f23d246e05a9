// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization

/// The descriptors of a message, which are closed when the last connection has got it.
final class PassedDescriptors {
    let numbers: [Int32]
    private let closer: DescriptorCloser

    /// Takes descriptors over.
    init(_ numbers: [Int32], closedBy closer: DescriptorCloser) {
        self.numbers = numbers
        self.closer = closer
    }

    deinit { closer.close(passed: numbers) }
}

/// Closes what programs have passed.
///
/// The last close of a descriptor may take as long as who passed it likes (SO_LINGER, socket(7)): so it is not done on
/// the thread of the bus.
final class DescriptorCloser: Sendable {
    private let queue = DispatchQueue(label: "org.swift-keychain.bus.close")

    private let openCount = Atomic(0)
    private let closingCount = Atomic(0)

    /// How many descriptors of programs' messages are held, and how many are about to be closed.
    var counts: (held: Int, closing: Int) {
        let closing = closingCount.load(ordering: .sequentiallyConsistent)
        return (openCount.load(ordering: .sequentiallyConsistent) - closing, closing)
    }

    /// Counts descriptors that have come.
    func note(passed count: Int) { openCount.add(count, ordering: .sequentiallyConsistent) }

    /// Closes descriptors that have come.
    func close(passed numbers: [Int32]) {
        guard !numbers.isEmpty else { return }
        closingCount.add(numbers.count, ordering: .sequentiallyConsistent)
        queue.async { [self] in
            for number in numbers { Glibc.close(number) }
            closingCount.subtract(numbers.count, ordering: .sequentiallyConsistent)
            openCount.subtract(numbers.count, ordering: .sequentiallyConsistent)
        }
    }

    /// Closes a socket, and with it what has come there and was not received.
    func close(socket: Int32) {
        queue.async { _ = Glibc.close(socket) }
    }
}
