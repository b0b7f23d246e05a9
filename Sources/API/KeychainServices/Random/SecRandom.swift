// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A source of randomness: there is only the default one.
public final class SecRandomRef: Sendable {
    private init() {}
}

/// The system's random generator.
public let kSecRandomDefault: SecRandomRef? = nil

/// Fills memory with bytes of the system's random generator.
///
/// - Returns: `errSecSuccess`; `errSecParam` for a negative count.
@discardableResult
public func SecRandomCopyBytes(_ source: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer) -> Int32 {
    guard count >= 0 else { return errSecParam }
    var generator = SystemRandomNumberGenerator()
    let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: count)
    var offset = 0
    while offset < count {
        withUnsafeBytes(of: generator.next() as UInt64) { word in
            let part = min(word.count, count - offset)
            UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<offset + part])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: word[..<part]))
            offset += part
        }
    }
    return errSecSuccess
}
