// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainDoctor

/// A dictionary literal pasted from Swift code, as `keychainctl doctor` reads it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    guard let literal = try? SwiftDictionaryParser.parse(text) else { return 0 }
    precondition(literal.dictionary.entries.count + literal.unknown.count <= count, "an entry has a byte at least")
    if let data = literal.dictionary[PropertyKey.valueData] {
        precondition(data == .data(SecretBytes()), "a secret is taken over")
    }
    return 0
}
