// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainEngine
@testable import KeychainFiles
@testable import KeychainProtection

/// A keychain file that somebody else wrote, and what is sealed of its items: what was altered is refused, or changes
/// no secret.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let contents = try? ItemContents(SecretBytes(input)) {
        precondition((try? ItemContents(contents.encoded)) == contents, "contents do not come back as they were")
    }
    let keychain = EmbeddedKeychain.file(image: edited(sample.image, input), device: sample.device)
    guard (try? keychain.device.status()) != nil else { return 0 }
    let items = (try? FileItems(keychain).all()) ?? []
    guard (try? keychain.device.unlock(passcode: sample.password)) != nil else { return 0 }
    for item in items {
        guard let contents = try? FileItems(keychain).contents(of: item.identifier) else { continue }
        precondition(contents.secret == sample.secret && contents.access == sample.access, "an altered item is taken")
    }
    return 0
}

private struct Sample {
    let device: DeviceOptions
    let password = SecretBytes([1])
    let secret = SecretBytes([1, 2, 3])
    let access = ItemAccess(descriptor: "example", trustedApplications: [], partitions: ["apple-tool:"])
    let image: [UInt8]

    init() throws {
        var device = DeviceOptions()
        device.passwordWork = .testing
        self.device = device
        let keychain = EmbeddedKeychain.newFile(password: password, device: device)
        try FileSettings.set(KeychainFileSettings(), in: keychain)
        let item = KeychainFileItem(
            identifier: .zero,
            itemClass: .genericPassword,
            attributes: ["acct": .string("anna"), "svce": .string("example")]
        )
        _ = try FileItems(keychain).add(item, secret, access)
        image = try keychain.image()
    }
}

private let sample: Sample = {
    guard let sample = try? Sample() else { preconditionFailure("no memory for keys") }
    return sample
}()
