// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

@testable import KeychainSync

/// Boxes of members and recipients, lists of recipients, and descriptions of zones.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let description = try? ZoneDescription(input) {
        precondition(description.encoded == input, "it has other bytes")
    }
    if let recipients = try? SyncRecipient.decode(input) {
        precondition(SyncRecipient.encode(recipients) == input, "it has other bytes")
    }
    let place = SyncPlace(circle: .zero, zone: .zero)
    let header = [UInt8].beginning(.box)
    let box = header + (input + [UInt8](repeating: 1, count: ZoneKeys.boxByteCount)).prefix(ZoneKeys.boxByteCount - 5)
    guard let receiver = try? SyncReceiver(recipientSeed: SymmetricKey(data: [UInt8](repeating: 1, count: 32))),
        let epoch = try? NewEpoch(ZoneKeys(), after: nil, in: place, boxes: [])
    else { preconditionFailure("they can be made") }
    precondition((try? ZoneKeys(box, for: receiver, from: .zero, epoch, in: place)) == nil, "a box of nobody opens")
    precondition((try? BoxTree.box(box + input, of: .zero, under: epoch)) == nil, "a box without a root counts")
    return 0
}
