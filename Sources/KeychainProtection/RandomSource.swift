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

extension [UInt8] {
    /// Bytes of the system's generator, for salts.
    static func random(count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
