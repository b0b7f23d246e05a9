// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainProtection

/// The keybag of a backup, and its rows: what was altered is refused, and what is read of a password layer is a layer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    _ = try? BackupContents.parse(input)
    if let layer = PasswordLayer(SecretBytes(input)) {
        precondition(layer.header.work.areAcceptable, "a layer asks for more work than is allowed")
    }
    let keybag = edited(sample.keybag, input)
    // Whatever work it asks for would be done, so only its code is looked at.
    if let parsed = try? BackupContents.parse(keybag) {
        let key = sample.secret.authenticationKey(of: parsed.contents.identifier)
        precondition(keybag == sample.keybag || !parsed.isAuthentic(under: key), "an altered backup opens")
    }
    var row = sample.row
    row.metadata = edited(row.metadata, input)
    row.secret = edited(row.secret, Array(input.reversed()))
    guard row != sample.row else { return 0 }
    precondition((try? sample.restore(row)) == nil, "an altered row is taken")
    return 0
}

private struct Sample {
    let device: Sealer
    let secret: BackupSecret
    let keys: BackupKeys
    let keybag: [UInt8]
    let row: StoredRow

    init() throws {
        let rootKey = try SoftwareRootKey.ephemeral()
        device = Sealer(try OpenKeybag(OpenKeybag.make(rootKey: rootKey), rootKey: rootKey))
        let work = ScryptParameters(log2Cost: 4, blockSize: 8, parallelization: 1)
        secret = try BackupSecret(SecretBytes([2]), work)
        keys = try BackupKeys(
            for: SystemRandomSource().bytes16(),
            keys: StoreKeys(fresh: BackupKeys.purposes),
            floor: .standard
        )
        var item = Item(
            itemClass: .genericPassword,
            identifier: SystemRandomSource().bytes16(),
            attributes: ["acct": .string("anna"), "svce": .string("example"), "pdmn": .string("ak")],
            secret: SecretBytes([1, 2, 3])
        )
        let original = try device.seal(&item, tags: device.searchTags())
        row = try device.reseal(original, under: keys, tags: keys.searchTags(), random: SystemRandomSource())
        let sealer = try BackupSealer(secret, random: SystemRandomSource())
        keybag = try sealer.keybag(leftOut: [.whenUnlockedThisDeviceOnly: 1], damaged: 1)
    }

    func restore(_ row: StoredRow) throws -> StoredRow {
        try keys.reseal(row, under: device, tags: device.searchTags(), random: SystemRandomSource())
    }
}

private let sample: Sample = {
    guard let sample = try? Sample() else { preconditionFailure("no memory for keys") }
    return sample
}()
