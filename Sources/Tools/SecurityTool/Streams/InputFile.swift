// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainHost

/// A file, or another descriptor, that a command reads completely; its contents may be secret.
enum InputFile {
    /// The maximum number of bytes: 64 MiB, more than any file of certificates and keys has.
    static let maximumBytes = 64 << 20

    /// Why a file cannot be read.
    enum Failure: Error {
        case system(Int32)
        /// It has more than ``InputFile/maximumBytes`` bytes, or no end, like a device.
        case tooLarge

        /// The system's message, or a description of the problem.
        var text: String {
            switch self {
            case .system(let code): String(cString: strerror(code))
            case .tooLarge: "it has more than \(InputFile.maximumBytes) bytes"
            }
        }
    }

    /// The bytes of a file.
    static func bytes(_ path: Word) throws(Failure) -> SecretBytes {
        let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .system(errno) }
        defer { close(descriptor) }
        return try bytes(descriptor)
    }

    /// All bytes of a descriptor.
    static func bytes(_ descriptor: Int32) throws(Failure) -> SecretBytes {
        var contents = SecretBuffer(capacity: 1 << 14)
        var failure: Failure?
        withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 1) { chunk in
            defer { keychain_wipe(chunk.baseAddress, chunk.count) }
            while true {
                let count = DescriptorInput.read(descriptor, chunk)
                if count > 0, contents.count + count > maximumBytes {
                    failure = .tooLarge
                    return
                } else if count > 0 {
                    contents.append(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
                } else if count == 0 {
                    return
                } else {
                    failure = .system(errno)
                    return
                }
            }
        }
        if let failure { throw failure }
        return contents.bytes
    }
}
