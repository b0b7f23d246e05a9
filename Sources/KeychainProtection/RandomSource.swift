// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
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
        withUnsafeTemporaryAllocation(byteCount: Bytes16.count, alignment: 8) { buffer in
            buffer.fillFromSystemGenerator()
            guard let bytes = Bytes16(UnsafeRawBufferPointer(buffer)) else {
                preconditionFailure("the buffer has sixteen bytes")
            }
            return bytes
        }
    }
}

extension [UInt8] {
    /// Bytes of the system's generator, in one call.
    static func random(count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            UnsafeMutableRawBufferPointer(buffer).fillFromSystemGenerator()
            initialized = count
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Fills the buffer by the system's generator, in one call: a call for each word would cost several times as much.
    func fillFromSystemGenerator() {
        let failure = keychain_random(baseAddress, count)
        precondition(failure == 0, "the system has a generator (getrandom(2)): error \(failure)")
    }
}
