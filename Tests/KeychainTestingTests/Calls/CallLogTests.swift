// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import LocalAuthentication
import Security
import Testing

@Suite("Every call is in the log, and no secret", .keychain)
struct CallLogTests {
    private let device: VirtualDevice

    init() throws { device = try #require(App.current).device }

    @Test("operation, query, status and reason are what a test expects on")
    func calls() throws {
        #expect(Items.add() == errSecSuccess)
        #expect(Items.add() == errSecDuplicateItem)
        #expect(Items.update("new") == errSecSuccess)
        let duplicates = device.calls.filter { $0.status == errSecDuplicateItem }
        #expect(duplicates.map(\.number) == [2])
        let duplicate = try #require(duplicates.first)
        #expect(duplicate.account == "account")
        #expect(duplicate.app == "TEAMID1234.com.example.app")
        #expect(duplicate.reason?.isEmpty == false)
        #expect(duplicate.query[kSecValueData as String] == "6 bytes")
        #expect(device.calls.last?.attributes == [kSecValueData as String: "3 bytes"])
        let line = "\(duplicate)"
        #expect(line.contains("2. SecItemAdd {kSecAttrAccount: account"))
        #expect(line.contains("kSecClass: kSecClassGenericPassword"))
        #expect(line.contains("errSecDuplicateItem"))
        device.calls.reset()
        #expect(device.calls.isEmpty)
        #expect(Items.delete() == errSecSuccess)
        #expect(device.calls.map(\.number) == [4])
    }

    @Test("the log has Apple's names for keys and values, and none of their strings")
    func names() {
        let control = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, [], nil)
        let queries: [[CFString: Any]] = [
            [
                kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitOne,
                kSecAttrSynchronizable: kSecAttrSynchronizableAny,
            ],
            [kSecClass: kSecClassGenericPassword, kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly],
            [kSecClass: kSecClassGenericPassword, kSecAttrAccessControl: control as Any],
            [
                kSecClass: kSecClassInternetPassword, kSecAttrProtocol: kSecAttrProtocolHTTPS,
                kSecAttrAuthenticationType: kSecAttrAuthenticationTypeHTMLForm, kSecMatchLimit: kSecMatchLimitAll,
            ],
            [
                kSecClass: kSecClassKey, kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
                kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                kSecUseAuthenticationUI: kSecUseAuthenticationUISkip,
            ],
        ]
        for query in queries { _ = SecItemCopyMatching(query as CFDictionary, nil) }
        let log = device.calls.description
        for name in [
            "kSecMatchLimit: kSecMatchLimitOne", "kSecAttrSynchronizable: kSecAttrSynchronizableAny",
            "kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly",
            "an access control of kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly",
            "kSecAttrProtocol: kSecAttrProtocolHTTPS", "kSecMatchLimit: kSecMatchLimitAll",
            "kSecAttrAuthenticationType: kSecAttrAuthenticationTypeHTMLForm",
            "kSecAttrKeyClass: kSecAttrKeyClassPrivate", "kSecAttrTokenID: kSecAttrTokenIDSecureEnclave",
            "kSecUseAuthenticationUI: kSecUseAuthenticationUISkip",
        ] {
            #expect(log.contains(name), "\(name) in \(log)")
        }
        for text in ["m_Limit", "akpu", "htps", "syna", "u_Auth", "setoken"] { #expect(!log.contains(text), "\(log)") }
    }

    @Test("a fault is told from the keychain's own failures")
    func injected() {
        device.faults.fail(with: errSecDuplicateItem)
        _ = Items.add()
        _ = Items.add()
        _ = Items.add()
        #expect(device.calls.map(\.isInjected) == [true, false, false])
        #expect(device.calls.map(\.status) == [errSecDuplicateItem, errSecSuccess, errSecDuplicateItem])
    }

    @Test("no secret is in the log, in whatever place and type it was given")
    func secrets() {
        let secret = "correct horse battery staple"
        let data = Data(secret.utf8)
        let context = LAContext()
        context.setCredential(data, type: .applicationPassword)
        let dictionaries: [[CFString: Any]] = [
            [kSecValueData: data], [kSecValueData: secret], [kSecAttrGeneric: data], [kSecAttrAccount: data],
            ["unknown" as CFString: secret], [kSecUseAuthenticationContext: context], [kSecValueRef: secret],
            [kSecUseCredentialReference: secret], [kSecValuePersistentRef: data], [kSecUseOperationPrompt: secret],
            [kSecMatchItemList: [data, secret]],
        ]
        for dictionary in dictionaries {
            let query = dictionary.merging([kSecClass: kSecClassGenericPassword]) { $1 } as CFDictionary
            _ = SecItemAdd(query, nil)
            _ = SecItemUpdate(query, query)
            _ = SecItemCopyMatching(query, nil)
            _ = SecItemDelete(query)
        }
        #expect(device.calls.count == 4 * dictionaries.count)
        let everything = device.calls.description + device.calls.all.map { String(reflecting: $0) }.joined()
        for form in [secret, data.base64EncodedString(), data.map { String(format: "%02x", $0) }.joined()] {
            #expect(!everything.contains(form))
        }
    }
}
