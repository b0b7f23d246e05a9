// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost

/// Reads and writes a secret that is one line of a descriptor.
///
/// The line ends before the first newline, which is not part of it, or at the end of the input; every other byte,
/// including a carriage return and NUL, is part of it. Nothing beyond the newline is read, so another line, or another
/// program's input, can follow.
package enum SecretLine {
    /// The maximum size of a secret in bytes: 1 MiB.
    package static let largestByteCount = 1 << 20

    /// Why a line could not be read.
    package enum Failure: Error, Hashable {
        /// It is longer than ``largestByteCount``.
        case tooLong
        /// The input ends before it.
        case missing
        /// read(2) failed.
        case unreadable(descriptor: Int32, errno: Int32)

        /// The failure as a sentence, with what the line should have been.
        package func text(of name: String) -> String {
            switch self {
            case .tooLong: "the \(name) is longer than \(SecretLine.largestByteCount) bytes"
            case .missing: "the input ended where the \(name) should be"
            case .unreadable(let descriptor, let errno):
                "the \(name) cannot be read from descriptor \(descriptor): \(String(cString: strerror(errno)))"
            }
        }
    }

    /// Reads the line; intermediate copies are wiped.
    ///
    /// - Parameter descriptor: the descriptor, which no program that is run afterwards inherits.
    /// - Returns: The line.
    /// - Throws: ``Failure``.
    package static func read(from descriptor: Int32) throws(Failure) -> SecretBytes {
        if descriptor > STDERR_FILENO { keychain_close_on_exec(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: largestByteCount + 1, alignment: 1)
        defer {
            keychain_wipe(buffer.baseAddress, buffer.count)
            buffer.deallocate()
        }
        var count = 0
        var isAtEnd = false
        while !isAtEnd, count < buffer.count {
            isAtEnd = try !readByte(from: descriptor, to: buffer[count...count])
            if !isAtEnd, buffer[count] == UInt8(ascii: "\n") { break }
            count += isAtEnd ? 0 : 1
        }
        guard count <= largestByteCount else { throw .tooLong }
        guard count > 0 || !isAtEnd else { throw .missing }
        return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }

    /// Writes a secret and a newline.
    ///
    /// - Returns: Whether all of it was written; if not, `errno` has the reason.
    package static func write(_ secret: SecretBytes, to descriptor: Int32) -> Bool {
        secret.withUnsafeBytes { DescriptorOutput.write($0, to: descriptor) }
            && [UInt8(ascii: "\n")].withUnsafeBytes { DescriptorOutput.write($0, to: descriptor) }
    }

    /// Reads one byte; `false` at the end of the input.
    private static func readByte(
        from descriptor: Int32,
        to target: Slice<UnsafeMutableRawBufferPointer>
    ) throws(Failure) -> Bool {
        let count = DescriptorInput.read(descriptor, UnsafeMutableRawBufferPointer(rebasing: target))
        guard count >= 0 else { throw .unreadable(descriptor: descriptor, errno: errno) }
        return count > 0
    }
}
