// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainProtection

/// The record of an item's lookup attributes, and its face: what is read is written as the same bytes, and its columns
/// and lookup attributes agree.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    for bytes in [input, edited(sample.encoded, input)] {
        if let face = LookupFace(bytes) {
            precondition(LookupFace(face.encoded) == face, "a face is not written as it is read")
        }
        guard let record = LookupRecord(bytes) else { continue }
        precondition(record.encoded == bytes, "a record is not written as it is read")
        let attributes = record.attributes
        precondition(attributes.satisfy(attributes))
        let itemClass = LookupMapping.itemClass(of: attributes)
        let columns = LookupMapping.columnValues(attributes, of: itemClass)
        precondition(LookupMapping.agrees(attributes, with: columns, of: itemClass))
        let derived = LookupMapping.derived(from: columns, of: itemClass)
        precondition(
            LookupMapping.conditions(derived, of: itemClass) != nil,
            "derived attributes do not find their item"
        )
        // Other columns, then those that it had.
        let others = LookupMapping.columnValues(derived, of: itemClass)
        let there = LookupMapping.updated(attributes, of: itemClass, from: columns, to: others)
        precondition(LookupMapping.agrees(there, with: others, of: itemClass))
    }
    return 0
}

private let sample: LookupRecord = {
    let pairs: [LookupAttributes.Pair] = [
        .init("xdg:schema", "io.docker.Credentials"), .init("server", "https://a.example:5000/v1/"), .init("user", "é"),
        .init("port", "8443"), .init("protocol", "https"), .init("service", "s"),
    ]
    guard let attributes = try? LookupAttributes(pairs) else { preconditionFailure("the sample is not valid") }
    return LookupRecord(attributes, contentType: "text/plain")
}()
