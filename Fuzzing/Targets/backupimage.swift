// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainEngine
@testable import KeychainProtection
@testable import KeychainStore

/// A whole backup that somebody altered, as `verify`, `list`, `restore` and a merge read it: it is refused, or
/// everything in it is as it was.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    _ = input.withUnsafeBytes(BackupKeys.file)
    guard let reader = try? BackupReader(bytes: SecretBytes(edited(sample.bytes, input))),
        let keybag = try? reader.keybag(), let inspection = try? BackupInspection(reader)
    else { return 0 }
    _ = try? inspection.outline()
    // Whatever work another keybag asks for would be done.
    guard keybag == sample.keybag, let contents = try? inspection.contents(secret, atLeast: floor) else { return 0 }
    precondition(contents == sample.contents, "an altered backup is taken")
    return 0
}

private let secret = SecretBytes([1, 2, 3])
private let floor = ScryptFloor(of: .minimum)

private struct Sample {
    let bytes: [UInt8]
    let keybag: [UInt8]
    let contents: InspectedBackup

    init() throws {
        var device = DeviceOptions()
        device.passwordWork = .minimum
        let keychain = EmbeddedKeychain.inMemory(device: device)
        for account in ["anna", "bert"] {
            let item: PropertyDictionary = [
                "class": .string("genp"), "acct": .string(account), PropertyKey.valueData: .data(secret),
            ]
            _ = try keychain.perform(KeychainRequest(.add(item), client: .person))
        }
        var file = Array("SQLite format 3\0".utf8) + [UInt8](repeating: 7, count: 100)
        file.replaceSubrange(68..<72, with: Array("SKCH".utf8))
        let request = BackupRequest(
            to: .reply,
            secret: .given(secret),
            files: [BackedUpFile(name: "~/a", mode: 0o600, contents: SecretBytes(file))]
        )
        bytes = try keychain.maintenance.createBackup(request).bytes?.unprotectedCopy ?? []
        let reader = try BackupReader(bytes: SecretBytes(bytes))
        keybag = try reader.keybag()
        contents = try BackupInspection(reader).contents(secret, atLeast: floor)
    }
}

private let sample: Sample = {
    do { return try Sample() } catch { preconditionFailure("no backup: \(error)") }
}()
