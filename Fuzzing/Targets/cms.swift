// SPDX-License-Identifier: Apache-2.0

import KeychainContainers

/// A signed message.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    guard let message = try? SignedData(input) else { return 0 }
    precondition(message.contents.map { $0.count <= count } ?? true, "contents are a part of the message")
    precondition(message.certificates.reduce(0) { $0 + $1.count } <= count, "certificates are parts of the message")
    guard let written = try? SignedData(certificates: message.certificates).encodedCertificates() else {
        preconditionFailure("certificates can be written")
    }
    precondition((try? SignedData(written))?.certificates == message.certificates, "what is written is read again")
    return 0
}
