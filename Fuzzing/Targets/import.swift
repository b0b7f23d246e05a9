// SPDX-License-Identifier: Apache-2.0

import KeychainContainers
import KeychainCore

/// A file for `SecItemImport` or `security import`, without a passphrase.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = SecretBytes(copying: UnsafeRawBufferPointer(start: bytes, count: count))
    guard let file = try? ImportedFile(input, passphrase: nil) else { return 0 }
    precondition(file.format != .unknown && file.type != .unknown, "what is read has a format and a kind")
    for item in file.items {
        precondition(ExternalItem(item.reference) != nil, "what is stored is read again")
        var encoder = ItemEncoder(.pemSequence)
        encoder.isArmored = true
        guard let written = try? encoder.file([item]) else { preconditionFailure("every item has a document") }
        let again = (try? ImportedFile(written, passphrase: nil))?.items
        precondition(again?.map(\.reference) == [item.reference], "what is written is read again")
    }
    return 0
}
