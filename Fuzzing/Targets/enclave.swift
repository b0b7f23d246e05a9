// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainProtection

/// Sealed keys of the enclave: what is read is written the same, and what was altered is none.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    check(input)
    for valid in sample.keys {
        let altered = edited(valid, input)
        check(altered)
        precondition(
            altered == valid || (try? sample.device.sealedKey(SecretBytes(altered))) == nil,
            "an altered key is taken"
        )
    }
    return 0
}

private func check(_ bytes: [UInt8]) {
    guard let parsed = try? SealedKey.Parsed(bytes) else { return }
    precondition(parsed.key.body == Array(bytes.dropLast(32)), "the encoding does not round-trip")
}

private struct Sample {
    let device: Sealer
    let keys: [[UInt8]]

    init() throws {
        let rootKey = try SoftwareRootKey.ephemeral()
        device = Sealer(try OpenKeybag(OpenKeybag.make(rootKey: rootKey), rootKey: rootKey))
        let work = ScryptParameters(log2Cost: 4, blockSize: 8, parallelization: 1)
        let password = try PasswordKey(new: SecretBytes([1]), work)
        var keys: [[UInt8]] = []
        for flags in [[], .userPresence, [.applicationPassword, .biometryCurrentSet]] as [AccessControlFlags] {
            guard let constraints = AccessConstraints(flags) else { continue }
            let accessControl = AccessControl(protection: .whenUnlocked, constraints: constraints)
            let key = try device.makeEnclaveKey(.p256, accessControl, passwordKey: password)
            keys.append(key.sealed.unprotectedCopy)
        }
        self.keys = keys
    }
}

private let sample: Sample = {
    guard let sample = try? Sample() else { preconditionFailure("no memory for keys") }
    return sample
}()
