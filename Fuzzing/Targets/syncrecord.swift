// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainSync

/// A record before and after it is opened: attributes that are read are written as they were.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    _ = try? SyncRecord([UInt8].beginning(.record) + input)
    if let attributes = try? AttributeList.decode(input) {
        precondition(AttributeList.encode(attributes) == input, "attributes have other bytes")
    }
    // The padding of what a member sealed.
    let padded = input + [0x80] + [UInt8](repeating: 0, count: 255 - input.count % 256)
    for content in [input, padded] { _ = try? SyncRecord.item(SecretBytes(content), at: .zero) }
    return 0
}
