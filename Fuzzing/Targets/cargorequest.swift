// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

/// A request of cargo's.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = SecretBytes(copying: UnsafeRawBufferPointer(start: start, count: count))
    switch try? CargoRequest(bytes) {
    case .get(let index), .login(let index, _, _), .logout(let index):
        precondition(!index.isEmpty && !index.utf8.contains(0x0A), "an index is one line")
    case .unknown, nil: break
    }
    return 0
}
