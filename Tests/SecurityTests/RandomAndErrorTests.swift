// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Security
import Testing

/// Random bytes, and the texts of status codes.
struct RandomAndErrorTests {
    @Test("exactly as many random bytes are written as were asked for", arguments: Array(0...17) + [255, 4_096])
    func count(_ count: Int) {
        var isTouched = Array(repeating: false, count: count)
        for _ in 0..<64 where isTouched.contains(false) {
            var bytes = Array(repeating: 0xA5 as UInt8, count: count + 16)
            let status = bytes.withUnsafeMutableBytes { buffer in
                SecRandomCopyBytes(kSecRandomDefault, count, buffer.baseAddress!)
            }
            #expect(status == errSecSuccess)
            #expect(bytes.suffix(16) == Array(repeating: 0xA5, count: 16)[...])
            for index in 0..<count where bytes[index] != 0xA5 { isTouched[index] = true }
        }
        #expect(!isTouched.contains(false))
    }

    @Test("an odd address and every value of a byte are fine")
    func distribution() {
        var bytes = Array(repeating: 0 as UInt8, count: 1 << 15 + 3)
        let status = bytes.withUnsafeMutableBytes { buffer in
            SecRandomCopyBytes(nil, buffer.count - 3, buffer.baseAddress! + 3)
        }
        #expect(status == errSecSuccess)
        #expect(bytes.prefix(3) == [0, 0, 0])
        // The chance that one of 256 values is missing in 32 KiB is below 1e-50.
        #expect(Set(bytes.dropFirst(3)).count == 256)
        var again = bytes
        let second = again.withUnsafeMutableBytes { SecRandomCopyBytes(nil, $0.count, $0.baseAddress!) }
        #expect(second == errSecSuccess)
        #expect(again != bytes)
    }

    @Test("a negative count is refused and writes nothing", arguments: [-1, Int.min])
    func negative(_ count: Int) {
        var byte: UInt8 = 0xA5
        #expect(SecRandomCopyBytes(kSecRandomDefault, count, &byte) == errSecParam)
        #expect(byte == 0xA5)
    }

    @Test("every code of the table has its text, and a code without one shows its number")
    func messages() {
        for row in StatusTable.rows {
            let text = SecCopyErrorMessageString(row.code, nil) as String?
            #expect(text == Status(rawValue: row.code).message ?? "OSStatus \(row.code)")
            #expect(text?.isEmpty == false)
        }
    }

    @Test(
        "a code has the text that Apple gives it",
        arguments: [
            (errSecSuccess, "No error."),
            (errSecItemNotFound, "The specified item could not be found in the keychain."),
            (errSecInternalComponent, "OSStatus -2070"),
            (Int32.min, "OSStatus -2147483648"),
            (1, "OSStatus 1"),
        ]
    )
    func message(_ code: OSStatus, _ text: String) {
        #expect(SecCopyErrorMessageString(code, nil) as String? == text)
    }

    @Test("a password for websites has four groups of three characters, and never twice the same")
    func webPassword() throws {
        let passwords = try (0..<100).map { _ in try #require(SecCreateSharedWebCredentialPassword()) as String }
        #expect(Set(passwords).count == 100)
        for password in passwords {
            let groups = password.split(separator: "-", omittingEmptySubsequences: false)
            #expect(groups.count == 4)
            let areShort = groups.allSatisfy {
                $0.count == 3 && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            }
            #expect(areShort)
        }
    }
}
