// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@_implementationOnly import CKeychainSupport

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
    /// Bytes of the system's generator, in one call.
    static func random(count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let failure = keychain_random(buffer.baseAddress, count)
            precondition(failure == 0, "the system has a generator (getrandom(2)): error \(failure)")
            initialized = count
        }
    }
}
