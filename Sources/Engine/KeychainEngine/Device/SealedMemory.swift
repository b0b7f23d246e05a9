// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore

/// A secret in memory behind a descriptor, which a child inherits and no process can change (memfd_create(2), sealed).
enum SealedMemory {
    /// Creates sealed memory with a secret.
    ///
    /// - Returns: The descriptor, which the caller closes; a child inherits it only on request.
    static func make(_ secret: SecretBytes) throws(KeychainError) -> Int32 {
        let descriptor = secret.withUnsafeBytes { keychain_sealed_memory($0.baseAddress, $0.count) }
        guard descriptor >= 0 else {
            throw KeychainError(.allocate, "there is no memory to hand over: \(String(cString: strerror(errno)))")
        }
        return descriptor
    }

    /// The secret behind a descriptor; `nil` if it is not sealed memory of this size.
    static func contents(of descriptor: Int32, count: Int) -> SecretBytes? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
        defer {
            keychain_wipe(buffer.baseAddress, buffer.count)
            buffer.deallocate()
        }
        guard keychain_read_sealed_memory(descriptor, buffer.baseAddress, count) == 0 else { return nil }
        return SecretBytes(copying: UnsafeRawBufferPointer(buffer))
    }

    /// Keeps the memory from programs that are started from now on.
    static func closeOnExec(_ descriptor: Int32) { keychain_close_on_exec(descriptor) }
}
