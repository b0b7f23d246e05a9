// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import KeychainTesting
import Security
import Testing

@Suite("Each call means one row", .keychain(entitlements: .grouped))
struct PrimaryKeyTests {
    private let plain = Protection.accessible(.afterFirstUnlock)

    /// Items that differ in one attribute of the key from the first of their class.
    static let rows: [any KeychainItem] =
        [
            GenericPassword(service: "s"), GenericPassword(service: "s", account: "a"), GenericPassword(service: ""),
            GenericPassword(service: "S"), GenericPassword(service: "s", isSynchronizable: true),
            GenericPassword(service: "s", accessGroup: Entitlements.sharedGroup),
        ] + internetPasswords + keys + certificates

    private static let internetPasswords: [any KeychainItem] = [
        InternetPassword(server: "s"), InternetPassword(server: ""), InternetPassword(server: "s", account: "a"),
        InternetPassword(server: "s", transferProtocol: kSecAttrProtocolHTTPS),
        InternetPassword(server: "s", transferProtocol: kSecAttrProtocolHTTP),
        InternetPassword(server: "s", port: 443), InternetPassword(server: "s", path: "/"),
        InternetPassword(server: "s", securityDomain: "d"),
        InternetPassword(server: "s", authenticationType: kSecAttrAuthenticationTypeDefault),
        InternetPassword(server: "s", accessGroup: Entitlements.sharedGroup),
        InternetPassword(server: "s", isSynchronizable: true),
    ]

    private static func key(
        tag: String = "t",
        label: Data = Data([1]),
        keyClass: CFString = kSecAttrKeyClassPrivate,
        type: CFString = kSecAttrKeyTypeECSECPrimeRandom,
        size: Int = 256,
        effectiveSize: Int = 256,
        token: CFString? = nil,
        group: String? = nil,
        synchronizable: Bool = false
    ) -> KeyItem {
        KeyItem(
            tag: tag,
            applicationLabel: label,
            keyClass: keyClass,
            keyType: type,
            sizeInBits: size,
            effectiveSizeInBits: effectiveSize,
            tokenID: token,
            accessGroup: group,
            isSynchronizable: synchronizable
        )
    }

    private static let keys: [any KeychainItem] = [
        key(), key(tag: ""), key(label: Data()), key(keyClass: kSecAttrKeyClassPublic), key(type: kSecAttrKeyTypeRSA),
        key(size: 255), key(effectiveSize: 255), key(group: Entitlements.sharedGroup), key(synchronizable: true),
    ]

    private static let certificates: [any KeychainItem] = [
        CertificateItem(issuer: Data([1]), serialNumber: Data([1])),
        CertificateItem(issuer: Data([2]), serialNumber: Data([1])),
        CertificateItem(issuer: Data([1]), serialNumber: Data([2])),
        CertificateItem(issuer: Data([1]), serialNumber: Data([1]), version: 1),
        CertificateItem(issuer: Data([1]), serialNumber: Data([1]), accessGroup: Entitlements.sharedGroup),
        CertificateItem(issuer: Data([1]), serialNumber: Data([1]), isSynchronizable: true),
    ]

    @Test("Items that differ in one attribute of the key are set, read and deleted alone", arguments: Way.allCases)
    func alone(way: Way) throws {
        let keychain = try way.subject().keychain
        func contents(_ item: any KeychainItem) throws -> Data? {
            guard case .data(let data)? = try keychain.contents(of: item, authentication: .forbidden) else {
                return nil
            }
            return data
        }
        for (number, item) in Self.rows.enumerated() {
            try keychain.add(
                .data(Data([UInt8(number)])),
                for: item,
                protection: plain,
                details: .none,
                authentication: .forbidden
            )
        }
        for (number, item) in Self.rows.enumerated() { #expect(try contents(item) == Data([UInt8(number)]), "\(item)") }
        for (number, item) in Self.rows.enumerated() {
            try keychain.set(
                .data(Data([UInt8(number) + 100])),
                for: item,
                protection: plain,
                details: .none,
                authentication: .forbidden
            )
        }
        for (number, item) in Self.rows.enumerated() {
            #expect(try contents(item) == Data([UInt8(number) + 100]), "\(item)")
            #expect(
                try keychain.attributes(of: item, authentication: .forbidden)?.key.attributes == item.key.attributes
            )
        }
        for (number, item) in Self.rows.enumerated() {
            #expect(try keychain.delete(item))
            #expect(try contents(item) == nil)
            for (other, item) in Self.rows.enumerated().dropFirst(number + 1) {
                #expect(try contents(item) == Data([UInt8(other) + 100]), "\(item) after \(number)")
            }
        }
    }

    /// What is left out of an item, and what an add with the item functions leaves out.
    static var bare: [(item: any KeychainItem, attributes: [String: Any])] {
        [
            (GenericPassword(service: ""), [kSecClass as String: kSecClassGenericPassword]),
            (
                GenericPassword(service: "s"),
                [kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "s"]
            ),
            (InternetPassword(server: ""), [kSecClass as String: kSecClassInternetPassword]),
            (
                InternetPassword(server: "s", account: "a"),
                [
                    kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: "s",
                    kSecAttrAccount as String: "a",
                ]
            ),
            (
                CertificateItem(issuer: Data(), serialNumber: Data(), version: 0),
                [kSecClass as String: kSecClassCertificate]
            ),
        ]
    }

    @Test("What an item leaves out is what an add without it stores", arguments: bare.indices)
    func defaults(index: Int) throws {
        let (item, bare) = Self.bare[index]
        let keychain = SystemKeychain()
        var attributes = bare
        attributes[kSecValueData as String] = Data("raw".utf8)
        #expect(SecItemAdd(NSDictionary(dictionary: attributes), nil) == errSecSuccess)
        #expect(try keychain.attributes(of: item, authentication: .forbidden) != nil)
        let error = failure { () throws(KeychainItemError) in
            try keychain.add(.data(Data()), for: item, protection: plain, details: .none, authentication: .forbidden)
        }
        #expect(error?.isDuplicate == true)
        #expect(try keychain.delete(item))
        try keychain.add(.data(Data()), for: item, protection: plain, details: .none, authentication: .forbidden)
        #expect(SecItemAdd(NSDictionary(dictionary: attributes), nil) == errSecDuplicateItem)
    }

    @Test("Without a group, a call is limited to the default group", arguments: Way.allCases)
    func noGroup(way: Way) throws {
        let keychain = try way.subject().keychain
        let item = GenericPassword(service: "s")
        let shared = item.inAccessGroup(Entitlements.sharedGroup)
        try keychain.add("shared", for: shared, protection: plain)
        #expect(try keychain.string(for: item) == nil)
        #expect(try !keychain.contains(item))
        #expect(try !keychain.delete(item))
        #expect(try !keychain.update(item, with: ItemUpdate(data: Data())))
        try keychain.set("default", for: item, protection: plain)
        #expect(try keychain.string(for: shared) == "shared")
        #expect(try keychain.string(for: item.inAccessGroup(Entitlements.defaultGroup)) == "default")
        #expect(
            try keychain.items(matching: .everyGenericPassword).count == 2,
            "nothing is left of looking for the group"
        )
    }

    @Test("A value that was stored as data is the same item, and keeps its type")
    func types() throws {
        let keychain = SystemKeychain()
        let bytes = Data([0xFF, 0xFE])
        for account in [Data("ada".utf8), bytes] {
            let attributes: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "s",
                kSecAttrAccount as String: account, kSecValueData as String: Data(),
            ]
            #expect(SecItemAdd(NSDictionary(dictionary: attributes), nil) == errSecSuccess)
        }
        #expect(try keychain.contains(GenericPassword(service: "s", account: "ada")))
        let found = try keychain.items(matching: .all(ofService: "s"))
        #expect(found.count == 2)
        for item in found { #expect(try keychain.delete(item.item)) }
        #expect(try keychain.items(matching: .everyGenericPassword).isEmpty)
    }
}
