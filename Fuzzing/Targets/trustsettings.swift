// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import KeychainTrust

/// A file of trust settings, and exceptions.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Data(bytes: bytes, count: count)
    _ = TrustExceptions(encoding: input)
    guard let settings = try? TrustSettings(propertyList: input) else { return 0 }
    let written = settings.propertyList
    precondition((try? TrustSettings(propertyList: written))?.propertyList == written, "what is written is read again")
    for certificate in settings.certificates { _ = settings.entry(for: certificate) }
    return 0
}
