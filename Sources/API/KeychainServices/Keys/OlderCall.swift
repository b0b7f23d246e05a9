// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainKeys

/// A call of an older key function: from and to memory of the caller.
struct OlderCall {
    /// `errSSLCrypto`, which these functions have always answered a wrong signature with.
    private static let mismatch: OSStatus = -9809

    private let data: NSData?

    /// A call with bytes; a negative length cannot be.
    init(_ bytes: UnsafeRawPointer, _ count: Int) {
        data = count < 0 ? nil : NSData(bytes: bytes, length: count)
    }

    /// Performs an operation without a result.
    func perform(_ body: (NSData) throws(KeyError) -> Void) -> OSStatus {
        guard let data else { return errSecParam }
        do throws(KeyError) {
            try body(data)
            return errSecSuccess
        } catch .verificationFailed {
            return Self.mismatch
        } catch {
            return error.status.rawValue
        }
    }

    /// Performs an operation that returns bytes, and writes them if there is room.
    func perform(
        into output: UnsafeMutableRawPointer,
        count: UnsafeMutablePointer<Int>,
        _ body: (NSData) throws(KeyError) -> SecretBytes
    ) -> OSStatus {
        perform { (data) throws(KeyError) in
            let bytes = try body(data)
            guard bytes.count <= count.pointee else { throw .parameter("the buffer is too small") }
            bytes.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(start: output, count: bytes.count).copyMemory(from: $0)
            }
            count.pointee = bytes.count
        }
    }
}
