// SPDX-License-Identifier: Apache-2.0
import KeychainCore

extension Rule {
    static let synchronizableWithThisDeviceOnly = Rule(
        "synchronizable-with-this-device-only",
        severity: .error,
        confidence: .high,
        family: .query,
        title: "An item is to be synchronised and to stay on this device",
        reason: """
            With an access control or a token the call is refused (-50); with a ThisDeviceOnly level the item is \
            stored and never leaves the device.
            """,
        remedy: "Choose one: a level without ThisDeviceOnly, or no kSecAttrSynchronizable.",
        flagged: """
            import Security
            func add(_ d: Data) -> OSStatus {
                SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecAttrSynchronizable: true, kSecValueData: d,
                    kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly] as CFDictionary, nil)
            }
            """,
        accepted: """
            import Security
            func add(_ d: Data) -> OSStatus {
                SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecAttrSynchronizable: true, kSecValueData: d,
                    kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked] as CFDictionary, nil)
            }
            """,
        check: .site { site, _, report in
            guard site.function == .add || site.function == .update else { return }
            for variant in (site.function == .add ? site.query : site.attributes ?? site.query).variants {
                guard variant.isCertainlyTrue("kSecAttrSynchronizable") else { continue }
                let level = variant.value("kSecAttrAccessible").flatMap { KeyTable.accessibility($0) }
                let key: String
                if variant.has("kSecAttrAccessControl") {
                    key = "kSecAttrAccessControl"
                } else if variant.has("kSecAttrTokenID") {
                    key = "kSecAttrTokenID"
                } else if level?.isForThisDeviceOnly == true {
                    key = "kSecAttrAccessible"
                } else {
                    continue
                }
                guard let entry = variant.entries[key], !entry.value.isNull else { continue }
                report.add(
                    entry.place,
                    key == "kSecAttrAccessible"
                        ? "an item that stays on this device is never synchronised"
                        : "\(key) beside kSecAttrSynchronizable: the call is refused (errSecParam)",
                    related: [(site.reportPlace, "the call")],
                    context: site.context
                )
                return
            }
        }
    )
}
