// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost

/// Reads and writes a secret that is one line of a descriptor.
///
/// The line ends before the first newline, which is not part of it, or at the end of the input; every other byte,
/// including a carriage return and NUL, is part of it. Nothing beyond the newline is read, so another line, or another
/// program's input, can follow.
enum SecretLine {
    /// The maximum size of a secret in bytes: 1 MiB.
    static let largestByteCount = 1 << 20

    /// Reads the line; intermediate copies are wiped.
    static func read(from descriptor: Int32, _ name: SecretInput.Name) throws(Refusal) -> SecretBytes {
        // A program that is run afterwards must not inherit it.
        if descriptor > STDERR_FILENO { keychain_close_on_exec(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: largestByteCount + 1, alignment: 1)
        defer {
            keychain_wipe(buffer.baseAddress, buffer.count)
            buffer.deallocate()
        }
        var count = 0
        var isAtEnd = false
        while !isAtEnd, count < buffer.count {
            isAtEnd = try !readByte(from: descriptor, to: buffer[count...count], name)
            if !isAtEnd, buffer[count] == UInt8(ascii: "\n") { break }
            count += isAtEnd ? 0 : 1
        }
        guard count <= largestByteCount else {
            throw Refusal("the \(name.text) is longer than \(largestByteCount) bytes")
        }
        guard count > 0 || !isAtEnd else { throw Refusal("the input ended where the \(name.text) should be") }
        return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }

    /// Writes a secret and a newline.
    ///
    /// - Returns: Whether all of it was written; if not, `errno` has the reason.
    static func write(_ secret: SecretBytes, to descriptor: Int32) -> Bool {
        secret.withUnsafeBytes { DescriptorOutput.write($0, to: descriptor) }
            && [UInt8(ascii: "\n")].withUnsafeBytes { DescriptorOutput.write($0, to: descriptor) }
    }

    /// Reads one byte; `false` at the end of the input.
    private static func readByte(
        from descriptor: Int32,
        to target: Slice<UnsafeMutableRawBufferPointer>,
        _ name: SecretInput.Name
    ) throws(Refusal) -> Bool {
        let count = DescriptorInput.read(descriptor, UnsafeMutableRawBufferPointer(rebasing: target))
        guard count >= 0 else {
            let why = String(cString: strerror(errno))
            throw Refusal("the \(name.text) cannot be read from descriptor \(descriptor): \(why)")
        }
        return count > 0
    }
}

/// Rejects an argument where none is expected, without repeating it: it may be a passcode.
struct MisplacedSecret: ParsableArguments {
    @Argument(help: .hidden)
    var argument: String?

    func validate() throws {
        guard argument == nil else {
            throw ValidationError(
                "Unexpected argument. Secrets are never arguments, because other programs can see those."
            )
        }
    }
}
