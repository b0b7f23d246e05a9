// SPDX-License-Identifier: Apache-2.0

import KeychainContainers
import KeychainCore

/// A file of PEM documents.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    guard let documents = try? PEMDocument.documents(in: input) else { return 0 }
    precondition(documents.isEmpty || PEMDocument.isPresent(in: input), "a document has a beginning")
    let text = Array(documents.map(\.text).joined().utf8)
    precondition((try? PEMDocument.documents(in: text)) == documents, "what is written is read again")
    for document in documents { _ = EncodedKind(document.bytes.unprotectedCopy) }
    return 0
}
