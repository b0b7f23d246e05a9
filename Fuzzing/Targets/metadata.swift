// SPDX-License-Identifier: Apache-2.0

@testable import KeychainProtection

/// The attributes of a row: what decodes must encode to something that decodes to the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    guard let metadata = try? input.withUnsafeBytes({ try MetadataCodec.decode($0) }) else { return 0 }
    guard let again = try? MetadataCodec.encode(metadata).withUnsafeBytes({ try MetadataCodec.decode($0) }),
        again.hasSecret == metadata.hasSecret, Set(again.attributes.keys) == Set(metadata.attributes.keys)
    else { preconditionFailure("the encoding does not round-trip") }
    return 0
}
