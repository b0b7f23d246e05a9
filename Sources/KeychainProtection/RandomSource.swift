// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Where identifiers and row versions come from; keys and nonces always come from the system.
public protocol RandomSource: Sendable {
    /// Sixteen fresh bytes.
    func bytes16() -> Bytes16
}

/// The system's generator, getrandom(2).
public struct SystemRandomSource: RandomSource {
    /// The system's generator.
    public init() {}

    /// Sixteen bytes of the system's generator.
    public func bytes16() -> Bytes16 {
        var generator = SystemRandomNumberGenerator()
        let words = (generator.next() as UInt64, generator.next() as UInt64)
        guard let bytes = withUnsafeBytes(of: words, { Bytes16($0) }) else {
            preconditionFailure("two words have sixteen bytes")
        }
        return bytes
    }
}
