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
        let descriptor = contents.withUnsafeBytes { keychain_sealed_memory($0.baseAddress, $0.count) }
        guard descriptor >= 0, fcntl(descriptor, F_SETFD, 0) == 0 else {
            throw Refusal("a file in memory cannot be made: \(String(cString: strerror(errno)))")
        }
        return "/proc/self/fd/\(descriptor)"
    }
}
