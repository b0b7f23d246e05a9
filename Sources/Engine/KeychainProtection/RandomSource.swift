// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Crypto
import KeychainCore

/// The source of identifiers and row versions; keys and nonces always come from the system.
package protocol RandomSource: Sendable {
    /// Sixteen fresh bytes.
    func bytes16() -> Bytes16

    /// Sixteen fresh bytes; fills `system`, whose bytes are always the system's, in the same call.
    func bytes16(filling system: UnsafeMutableRawBufferPointer) -> Bytes16
}

extension RandomSource {
    /// Sixteen fresh bytes; fills `system` by the system's generator.
    package func bytes16(filling system: UnsafeMutableRawBufferPointer) -> Bytes16 {
        system.fillFromSystemGenerator()
        return bytes16()
    }
}

/// The system's generator, getrandom(2).
package struct SystemRandomSource: RandomSource {
    /// The system's generator.
    package init() {}

    /// Sixteen bytes of the system's generator.
    package func bytes16() -> Bytes16 { bytes16(filling: UnsafeMutableRawBufferPointer(start: nil, count: 0)) }

    /// Sixteen bytes of the system's generator, and additional bytes for `system`, in one call.
    package func bytes16(filling system: UnsafeMutableRawBufferPointer) -> Bytes16 {
        withUnsafeTemporaryAllocation(byteCount: Bytes16.count + system.count, alignment: 8) { buffer in
            // The remains on the stack are overwritten when the call ends.
            buffer.fillFromSystemGenerator()
            let (first, rest) = (buffer[..<Bytes16.count], buffer[Bytes16.count...])
            system.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest))
            guard let bytes = Bytes16(UnsafeRawBufferPointer(rebasing: first)) else {
                preconditionFailure("the buffer has sixteen bytes")
            }
            return bytes
        }
    }
}

/// The random values of a sealed row: its version, and the nonce of each part.
///
/// All of them are read at once: a call of the system's generator takes as long as sealing a short message. No bytes
/// are kept for another row, so neither a forked child nor a copy of a virtual machine can reuse any.
struct RowRandom {
    let version: Bytes16
    let metadataNonce: AES.GCM.Nonce
    let secretNonce: AES.GCM.Nonce

    /// - Parameter source: the source of the version; the nonces come from the system.
    init(_ source: any RandomSource) {
        let count = GCM.nonceByteCount
        (version, metadataNonce, secretNonce) = withUnsafeTemporaryAllocation(byteCount: 2 * count, alignment: 4) {
            let version = source.bytes16(filling: $0)
            return (version, Self.nonce($0[..<count]), Self.nonce($0[count...]))
        }
    }

    private static func nonce(_ bytes: Slice<UnsafeMutableRawBufferPointer>) -> AES.GCM.Nonce {
        guard let nonce = try? AES.GCM.Nonce(data: UnsafeRawBufferPointer(rebasing: bytes)) else {
            preconditionFailure("a nonce has 96 bits")
        }
        return nonce
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
