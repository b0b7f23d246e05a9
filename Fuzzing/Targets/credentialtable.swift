// SPDX-License-Identifier: Apache-2.0

@testable import KeychainControl

/// Tables of credentials, and addresses that ask for one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeRawBufferPointer(start: start, count: count))
    let request = CredentialRequest(address: bytes)
    if let request {
        let address = "/unit/\(request.unit)/\(request.name)"
        precondition(bytes.first == 0, "an address is an abstract one")
        precondition(String(decoding: bytes, as: UTF8.self).hasSuffix(address), "a request is read as it was written")
    }
    guard let table = try? CredentialTable(bytes, in: "table") else { return 0 }
    for row in table.rows {
        let line = "\(row.unit) \(row.name) \(row.reference.text)"
        let again = try? CredentialTable(Array(line.utf8), in: "table")
        precondition(again?.rows == [row], "a line is read as it was written")
    }
    return 0
}
