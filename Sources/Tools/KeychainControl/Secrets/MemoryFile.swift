// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore

/// A file in memory (memfd_create(2)) that programs which this one starts, or becomes, can open: it is there for as
/// long as they are.
enum MemoryFile {
    /// Makes a file that nobody can change.
    ///
    /// - Returns: Its path.
    static func path(of contents: SecretBytes) throws(Refusal) -> String {
        let descriptor = try descriptor(of: contents)
        guard fcntl(descriptor, F_SETFD, 0) == 0 else { throw failure }
        return "/proc/self/fd/\(descriptor)"
    }

    /// Makes such a file that only this program has open, at its beginning.
    static func descriptor(of contents: SecretBytes) throws(Refusal) -> Int32 {
        let descriptor = contents.withUnsafeBytes { keychain_sealed_memory($0.baseAddress, $0.count) }
        guard descriptor >= 0 else { throw failure }
        return descriptor
    }

    private static var failure: Refusal {
        Refusal("a file in memory cannot be made: \(String(cString: strerror(errno)))")
    }
}
