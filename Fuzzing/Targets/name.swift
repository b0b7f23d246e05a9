// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// An issuer's name in DER, as callers give it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = SecretBytes(copying: UnsafeRawBufferPointer(start: bytes, count: count))
    let once = DistinguishedName.normalizedContent(input)
    precondition(once.count <= input.count, "normalizing a name only removes bytes")
    return 0
}
