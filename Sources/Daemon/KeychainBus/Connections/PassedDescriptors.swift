// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// The descriptors of a message, which are closed when the last connection has got it.
final class PassedDescriptors {
    let numbers: [Int32]
    private let closer: DescriptorCloser

    /// Takes descriptors over.
    init(_ numbers: [Int32], closedBy closer: DescriptorCloser) {
        self.numbers = numbers
        self.closer = closer
    }

    deinit { closer.close(numbers) }
}

/// Closes what programs have passed.
///
/// The last close of a descriptor may take as long as who passed it likes (SO_LINGER, socket(7)): so it is not done on
/// the thread of the bus.
final class DescriptorCloser: Sendable {
    private let queue = DispatchQueue(label: "org.swift-keychain.bus.close")

    func close(_ numbers: [Int32]) {
        guard !numbers.isEmpty else { return }
        queue.async {
            for number in numbers { Glibc.close(number) }
        }
    }
}
