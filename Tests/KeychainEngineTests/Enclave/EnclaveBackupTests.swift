// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainSimulation
import KeychainTestSupport
import Testing

/// Keys of the enclave and backups.
struct EnclaveBackupTests {
    @Test("a key of the enclave stays behind whatever its level is, and is counted; other keys go along")
    func leftOut() throws {
        let device = try VirtualDevice(storage: .file)
        for level in [Accessibility.whenUnlocked, .afterFirstUnlock] {
            let made = try device.enclave.makeKey(
                .p256,
                accessControl: AccessControl(synthesizedFor: level),
                context: nil
            )
            try add(
                "enclave \(level.rawValue)",
                level: level,
                data: made.sealed,
                to: device,
                token: "com.apple.setoken"
            )
            try add("software \(level.rawValue)", level: level, data: SecretBytes([1]), to: device, token: nil)
        }
        let folder = try TemporaryFolder()
        let secret = SecretBytes(Array("a secret of the backup".utf8))
        let report = try device.keychain.createBackup(at: folder.path(of: "backup"), secret: secret)
        #expect(report.items == 2)
        #expect(report.leftOut == [.whenUnlocked: 1, .afterFirstUnlock: 1])
        let location = KeychainLocation(path: folder.path(of: "restored"))
        let restored = try EmbeddedKeychain.restoreBackup(
            from: folder.path(of: "backup"),
            secret: secret,
            to: location,
            floor: ScryptFloor(of: .minimum)
        )
        #expect(restored.leftOut == report.leftOut)
        let query: PropertyDictionary = [
            "class": .string("keys"), "m_Limit": .string("m_LimitAll"), "r_Attributes": .boolean(true),
        ]
        let answer = try EmbeddedKeychain(at: location).perform(
            KeychainRequest(.copyMatching(query), client: TestStore.client)
        )
        guard case .list(let found) = answer else {
            Issue.record("no list")
            return
        }
        let labels = found.compactMap { value -> PropertyValue? in
            guard case .dictionary(let attributes) = value else { return nil }
            return attributes["labl"]
        }
        #expect(Set(labels) == [.string("software ak"), .string("software ck")])
    }

    private func add(
        _ label: String,
        level: Accessibility,
        data: SecretBytes,
        to device: VirtualDevice,
        token: String?
    ) throws {
        var item: PropertyDictionary = [
            "class": .string("keys"), "kcls": .string("1"), "labl": .string(label),
            "klbl": .data(SecretBytes(Array(label.utf8))),
            "pdmn": .string(level.rawValue), "v_Data": .data(data),
        ]
        if let token { item["tkid"] = .string(token) }
        _ = try device.keychain.perform(KeychainRequest(.add(item), client: TestStore.client))
    }
}
