// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import KeychainCore

/// A growing run of bytes that is wiped when it moves, shrinks or is released.
package struct SecretBuffer: ~Copyable {
    private var storage: UnsafeMutableRawBufferPointer

    /// The number of bytes.
    package private(set) var count = 0

    /// No bytes yet.
    package init(capacity: Int = 64) {
        storage = .allocate(byteCount: max(capacity, 1), alignment: 1)
    }

    deinit {
        keychain_wipe(storage.baseAddress, storage.count)
        storage.deallocate()
    }

    /// Adds a byte.
    package mutating func append(_ byte: UInt8) {
        reserve(1)
        storage[count] = byte
        count += 1
    }

    /// Adds bytes.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        UnsafeMutableRawBufferPointer(rebasing: storage[count..<count + bytes.count]).copyMemory(from: bytes)
        count += bytes.count
    }

    /// Adds a text.
    package mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
    }

    /// The byte at a distance from the end; `nil` if there are not that many bytes.
    package func last(but distance: Int = 0) -> UInt8? {
        distance < count ? storage[count - 1 - distance] : nil
    }

    /// Removes bytes from the end.
    package mutating func removeLast(_ number: Int) {
        let end = max(count - number, 0)
        keychain_wipe(UnsafeMutableRawBufferPointer(rebasing: storage[end..<count]).baseAddress, count - end)
        count = end
    }

    /// A copy of what has been collected.
    package var bytes: SecretBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: storage[..<count])) }

    private mutating func reserve(_ more: Int) {
        guard count + more > storage.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * (count + more), alignment: 1)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        keychain_wipe(storage.baseAddress, storage.count)
        storage.deallocate()
        storage = larger
    }
}

extension UInt8 {
    /// The value of an ASCII hexadecimal digit; nil for any other character.
    ///
    /// `Character.hexDigitValue` would create a string for each byte of a secret.
    package var hexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
