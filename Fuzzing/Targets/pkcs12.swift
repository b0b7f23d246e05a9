// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

@testable import KeychainContainers

/// A PKCS #12 file, an encrypted key, and what a file holds once its integrity is given.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    // What is looked for is not how long a computer can be kept busy.
    for read in [readFile, readKey, readAuthenticated] {
        var budget = WorkBudget(left: 1000)
        try? read(input, &budget)
    }
    return 0
}

private func readFile(_ input: [UInt8], _ budget: inout WorkBudget) throws {
    _ = try PKCS12(input, password: "", &budget)
}

private func readKey(_ input: [UInt8], _ budget: inout WorkBudget) throws {
    _ = try EncryptedPrivateKey.decrypt(input, password: "", &budget)
}

private func readAuthenticated(_ input: [UInt8], _ budget: inout WorkBudget) throws {
    _ = try PKCS12(authenticated(input), password: "", &budget)
}

/// A file of these contents with an integrity check that holds, so that what is behind it is reached.
private func authenticated(_ contents: [UInt8]) -> [UInt8] {
    let key = LegacyHash.sha1.derive(.integrityKey, from: [0, 0], salt: [], iterations: 1, byteCount: 20)
    let code = Array(HMAC<Insecure.SHA1>.authenticationCode(for: contents, using: SymmetricKey(data: key)))
    let data: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
    let sha1: [UInt8] = [0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A]
    let safe = derValue(0x30, data + derValue(0xA0, derValue(0x04, contents)))
    let check = derValue(0x30, derValue(0x30, derValue(0x30, sha1) + derValue(0x04, code)) + derValue(0x04, []))
    return derValue(0x30, [0x02, 0x01, 0x03] + safe + check)
}
