// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import Security
import Testing

@Suite("Devices in memory, one after the other")
struct SuccessionTests {
    /// What a test may leave its device in.
    enum Ending: CaseIterable {
        case unlocked
        case locked
        case rebooted
        case withoutPasscode
        case fullStore
        case readOnlyStore
        case damaged
        case erased
        case withPolicy

        func bring(about device: VirtualDevice) throws {
            switch self {
            case .unlocked: break
            case .locked: try device.lock()
            case .rebooted: device.reboot()
            case .withoutPasscode: try device.removePasscode()
            case .fullStore: try device.setStorageCondition(.full)
            case .readOnlyStore: try device.setStorageCondition(.readOnly)
            case .damaged: try device.setStorageCondition(.everyItemDamaged)
            case .erased: try device.erase()
            case .withPolicy: try device.setPolicy(VirtualDevice.Policy(autoLockAfterSeconds: 60))
            }
        }
    }

    /// In a process of its own no other test takes the store that a device leaves behind.
    @Test("No device sees anything of one that was there before it")
    func nothingIsPassedOn() async {
        await #expect(processExitsWith: .success) {
            for ending in Ending.allCases + Ending.allCases.reversed() { try Self.liveOneLife(ending) }
        }
    }

    private static func liveOneLife(_ ending: Ending) throws {
        let device = try VirtualDevice()
        let app = device.install()
        #expect(device.lockState == .unlocked)
        #expect(try device.policy == VirtualDevice.Policy())
        try app.run {
            for itemClass in [kSecClassGenericPassword, kSecClassInternetPassword, kSecClassKey, kSecClassCertificate] {
                let query: [CFString: Any] = [kSecClass: itemClass, kSecMatchLimit: kSecMatchLimitAll]
                #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound, "before \(ending)")
            }
            let item: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "service", kSecValueData: Data("secret".utf8),
            ]
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess, "before \(ending)")
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecDuplicateItem, "before \(ending)")
            _ = try #require(
                SecKeyCreateRandomKey(
                    [
                        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                        kSecPrivateKeyAttrs: [kSecAttrIsPermanent: true],
                    ] as [CFString: Any] as CFDictionary,
                    nil
                )
            )
        }
        try ending.bring(about: device)
    }
}
