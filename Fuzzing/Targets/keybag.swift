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
    for valid in [sample.plain, sample.withPasscode] {
        let altered = edited(valid, input)
        precondition(
            altered == valid || (try? OpenKeybag(altered, rootKey: sample.rootKey, floor: sample.floor)) == nil,
            "an altered keybag opens"
        )
    }
    return 0
}

private struct Sample {
    let rootKey: SoftwareRootKey
    let plain: [UInt8]
    let withPasscode: [UInt8]
    let floor: ScryptFloor

    init() throws {
        rootKey = try SoftwareRootKey.ephemeral()
        plain = try OpenKeybag.make(rootKey: rootKey)
        let keybag = try OpenKeybag(plain, rootKey: rootKey)
        let work = ScryptParameters(log2Cost: 4, blockSize: 8, parallelization: 1)
        floor = ScryptFloor(of: work)
        let passcode = try NewPasscodeSlot(SecretBytes([1]), work, rootKey: rootKey, for: keybag.storeIdentifier)
        withPasscode = try keybag.settingPasscode(passcode)
    }
}

private let sample: Sample = {
    guard let sample = try? Sample() else { preconditionFailure("no memory for keys") }
    return sample
}()
