// SPDX-License-Identifier: Apache-2.0

@testable import KeychainSync

/// What an engine gives as a signed structure of a circle: what is one has the bytes that were read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    for candidate in [input, [UInt8].beginning(.entry) + input] {
        if let read = try? MembershipEntry(candidate) { precondition(read.bytes == candidate, "it has other bytes") }
    }
    return 0
}
