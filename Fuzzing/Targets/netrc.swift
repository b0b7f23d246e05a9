// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

/// A word of a netrc file is read as it was, and never ends its line.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    guard let token = try? Netrc.token(SecretBytes(copying: bytes)).unprotectedCopy else {
        precondition(bytes.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 }, "only lines and NUL are refused")
        return 0
    }
    precondition(!token.contains(0x0A), "a word is in one line")
    precondition(word(token) == Array(bytes), "a word is read as it was")
    return 0
}

/// Reads a word as curl does: up to a blank, or in quotes with escapes.
private func word(_ token: [UInt8]) -> [UInt8]? {
    guard token.first == UInt8(ascii: "\"") else { return token.allSatisfy { $0 > 0x20 } ? token : nil }
    var rest = token.dropFirst()
    var word: [UInt8] = []
    while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "\""): return rest.isEmpty ? word : nil
        case UInt8(ascii: "\\"):
            guard let escaped = rest.popFirst() else { return nil }
            word.append(escaped)
        default: word.append(byte)
        }
    }
    return nil
}
