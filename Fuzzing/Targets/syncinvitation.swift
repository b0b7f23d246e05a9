// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainSync

/// Offers and requests, as they come out of their seals, what is under the code, and the location of a circle.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    var reader = SyncReader(plain: input[...], .offer)
    if let offer = try? SyncInvitation.Offer(&reader) { precondition(offer.encoded == input, "it has other bytes") }
    reader = SyncReader(plain: input[...], .request)
    if let request = try? SyncInvitation.Request(&reader) {
        precondition(request.encoded == input, "it has other bytes")
    }
    _ = try? SyncInvitation(key).offer(input, now: .referenceDate)
    _ = try? SyncLocator.circle(input, key)
    return 0
}

private let key: RecoveryKey = {
    guard let key = RecoveryKey(SecretBytes(Array(0..<16))) else { preconditionFailure("it has 16 bytes") }
    return key
}()
