// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainProtection

/// What is read before it is authenticated: the keybag of a store, the header of a password.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let parsed = try? KeybagCodec.parse(input) { try? parsed.contents.check(sample.floor) }
    var reader = ByteReader(input[...])
    if let header = try? PasswordHeader(&reader) {
        precondition(header.work.areAcceptable, "a header asks for more work than is allowed")
    }
    for valid in [sample.plain, sample.withPasscode, sample.withRecoveryKey] {
        let altered = edited(valid, input)
        precondition(
            altered == valid || (try? OpenKeybag(altered, rootKey: sample.rootKey, floor: sample.floor)) == nil,
            "an altered keybag opens"
        )
        // It is opened without its code: whatever its seals cover is as it was, or nothing opens.
        if let recovered = try? RecoveredKeybag(altered, sample.recoveryKey, owner: .embedded) {
            precondition(recovered.storeIdentifier == sample.storeIdentifier, "a keybag of another store is recovered")
        }
    }
    return 0
}

private struct Sample {
    let rootKey: SoftwareRootKey
    let plain: [UInt8]
    let withPasscode: [UInt8]
    let withRecoveryKey: [UInt8]
    let recoveryKey = RecoveryKey.random()
    let storeIdentifier: Bytes16
    let floor: ScryptFloor

    init() throws {
        rootKey = try SoftwareRootKey.ephemeral()
        plain = try OpenKeybag.make(rootKey: rootKey)
        let keybag = try OpenKeybag(plain, rootKey: rootKey)
        let work = ScryptParameters(log2Cost: 4, blockSize: 8, parallelization: 1)
        floor = ScryptFloor(of: work)
        let passcode = try NewPasscodeSlot(SecretBytes([1]), work, rootKey: rootKey, for: keybag.storeIdentifier)
        withPasscode = try keybag.settingPasscode(passcode)
        storeIdentifier = keybag.storeIdentifier
        let slot = try NewRecoverySlot(recoveryKey, date: .referenceDate, for: keybag.storeIdentifier)
        withRecoveryKey = try OpenKeybag(withPasscode, rootKey: rootKey, floor: floor)
            .settingRecoveryKey(slot, passcode.key)
    }
}

private let sample: Sample = {
    guard let sample = try? Sample() else { preconditionFailure("no memory for keys") }
    return sample
}()
