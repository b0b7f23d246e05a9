// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import Security
import Testing

/// Apple's functions on keychain files.
@Suite(.timeLimit(.minutes(10)))
struct KeychainFunctionTests {
    private let device: VirtualDevice
    private let app: App

    init() throws {
        device = try VirtualDevice(.mac)
        app = device.install("com.example.app", team: "TEAMID1234")
    }

    private func makeKeychain(_ name: String = "build.keychain") throws -> SecKeychain {
        var keychain: SecKeychain?
        try #require(SecKeychainCreate(name, 2, "pw", false, nil, &keychain) == errSecSuccess)
        return try #require(keychain)
    }

    private func status(_ keychain: SecKeychain?) -> SecKeychainStatus? {
        var status: SecKeychainStatus = 0
        return SecKeychainGetStatus(keychain, &status) == errSecSuccess ? status : nil
    }

    @Test("A keychain is made, locked, unlocked and removed")
    func life() throws {
        try app.run {
            let keychain = try makeKeychain()
            #expect(status(keychain) == kSecUnlockStateStatus | kSecReadPermStatus | kSecWritePermStatus)
            #expect(SecKeychainCreate("build.keychain", 2, "pw", false, nil, nil) == errSecDuplicateKeychain)
            #expect(SecKeychainCreate("asked.keychain", 0, nil, true, nil, nil) == errSecInteractionNotAllowed)
            var again: SecKeychain?
            #expect(SecKeychainOpen("build.keychain", &again) == errSecSuccess)
            #expect(again == keychain)
            #expect(SecKeychainLock(keychain) == errSecSuccess)
            #expect(status(keychain) == kSecReadPermStatus | kSecWritePermStatus)
            #expect(SecKeychainUnlock(keychain, 2, "no", true) == errSecAuthFailed)
            #expect(SecKeychainUnlock(keychain, 0, nil, false) == errSecInteractionNotAllowed)
            #expect(SecKeychainUnlock(keychain, 2, "pw", true) == errSecSuccess)
            #expect(SecKeychainLockAll() == errSecSuccess)
            #expect(status(keychain) == kSecReadPermStatus | kSecWritePermStatus)
            #expect(SecKeychainDelete(keychain) == errSecSuccess)
            #expect(status(keychain) == nil)
            #expect(SecKeychainDelete(keychain) == errSecNoSuchKeychain)
        }
    }

    @Test("In a damaged file nothing is \"not found\", also beside a keychain with other items")
    func damaged() throws {
        try app.run {
            let (keychain, other) = (try makeKeychain(), try makeKeychain("other.keychain"))
            try addPassword("svc", to: keychain)
            try addPassword("elsewhere", to: other)
            #expect(SecKeychainLock(keychain) == errSecSuccess)
            let path = try path(keychain)
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            let mark = try #require(bytes.range(of: Data("SKKB".utf8)))
            bytes[mark.upperBound + 60] ^= 1
            try bytes.write(to: URL(fileURLWithPath: path))
            for list in [[keychain], [keychain, other], [other, keychain]] {
                for itemClass in [kSecClassGenericPassword, kSecClassCertificate, kSecClassIdentity] {
                    #expect(find("svc", itemClass, in: list) == errSecInvalidKeychain, "\(itemClass) in \(list)")
                }
            }
            #expect(find("elsewhere", kSecClassGenericPassword, in: [keychain, other]) == errSecSuccess)
            let found = SecKeychainFindGenericPassword(keychain, 3, "svc", 0, nil, nil, nil, nil)
            #expect(found == errSecInvalidKeychain)
        }
    }

    private func addPassword(_ service: String, to keychain: SecKeychain) throws {
        var item: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
        item[kSecValueData] = Data("secret".utf8)
        item[kSecUseKeychain] = keychain
        try #require(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
    }

    private func find(_ service: String, _ itemClass: CFString, in list: [SecKeychain]) -> OSStatus {
        var query: [CFString: Any] = [kSecClass: itemClass, kSecMatchSearchList: list, kSecReturnRef: true]
        if itemClass == kSecClassGenericPassword { query[kSecAttrService] = service }
        return SecItemCopyMatching(query as CFDictionary, nil)
    }

    private func path(_ keychain: SecKeychain) throws -> String {
        var length: UInt32 = 1024
        return try withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(length)) { buffer in
            let start = try #require(buffer.baseAddress)
            try #require(SecKeychainGetPath(keychain, &length, start) == errSecSuccess)
            return String(cString: start)
        }
    }

    @Test("Settings are those that were set, and the default is to lock on sleep and after five minutes")
    func settings() throws {
        try app.run {
            let keychain = try makeKeychain()
            var settings = SecKeychainSettings()
            #expect(SecKeychainCopySettings(keychain, &settings) == errSecSuccess)
            #expect(settings.lockOnSleep)
            #expect(settings.lockInterval == 300)
            settings = SecKeychainSettings(lockOnSleep: false, useLockInterval: true, lockInterval: 3600)
            #expect(SecKeychainSetSettings(keychain, &settings) == errSecSuccess)
            var read = SecKeychainSettings()
            #expect(SecKeychainCopySettings(keychain, &read) == errSecSuccess)
            #expect(read == settings)
            settings = SecKeychainSettings()
            #expect(SecKeychainSetSettings(keychain, &settings) == errSecSuccess)
            #expect(SecKeychainCopySettings(keychain, &read) == errSecSuccess)
            #expect(read.lockInterval == .max)
            #expect(SecKeychainLock(keychain) == errSecSuccess)
            #expect(SecKeychainCopySettings(keychain, &read) == errSecAuthFailed)
        }
    }

    @Test("The search list and the default keychain are those that were chosen")
    func preferences() throws {
        try app.run {
            var login: SecKeychain?
            #expect(SecKeychainCopyDefault(&login) == errSecSuccess)
            var list: CFArray?
            #expect(SecKeychainCopySearchList(&list) == errSecSuccess)
            #expect(list as? [SecKeychain?] == [login])
            let keychain = try makeKeychain()
            #expect(SecKeychainSetSearchList([keychain, try #require(login)] as NSArray) == errSecSuccess)
            #expect(SecKeychainCopyDomainSearchList(.user, &list) == errSecSuccess)
            #expect(list as? [SecKeychain?] == [keychain, login])
            #expect(SecKeychainSetSearchList(["text"] as NSArray) == errSecParam)
            #expect(SecKeychainSetDefault(keychain) == errSecSuccess)
            var chosen: SecKeychain?
            #expect(SecKeychainCopyDomainDefault(.user, &chosen) == errSecSuccess)
            #expect(chosen == keychain)
            #expect(SecKeychainDelete(keychain) == errSecSuccess)
            #expect(SecKeychainCopyDefault(&chosen) == errSecNoDefaultKeychain)
            #expect(SecKeychainSetDefault(nil) == errSecParam)
        }
    }

    @Test("A path needs room for its end")
    func path() throws {
        try app.run {
            let keychain = try makeKeychain()
            var room = UInt32(4096)
            var buffer = [CChar](repeating: 1, count: Int(room))
            #expect(SecKeychainGetPath(keychain, &room, &buffer) == errSecSuccess)
            let path = String(decoding: buffer.prefix(Int(room)).map(UInt8.init(bitPattern:)), as: UTF8.self)
            #expect(path.hasSuffix("/Library/Keychains/build.keychain-db"))
            #expect(buffer[Int(room)] == 0)
            var little = room
            #expect(SecKeychainGetPath(keychain, &little, &buffer) == errSecBufferTooSmall)
            #expect(little == room)
        }
    }

    @Test("A password is added, found, changed and removed")
    func genericPassword() throws {
        try app.run {
            let keychain = try makeKeychain()
            var item: SecKeychainItem?
            let add = { SecKeychainAddGenericPassword(keychain, 3, "svc", 4, "user", 6, "secret", &item) }
            #expect(add() == errSecSuccess)
            #expect(add() == errSecDuplicateItem)
            var (length, data): (UInt32, UnsafeMutableRawPointer?) = (0, nil)
            var found: SecKeychainItem?
            let find = { SecKeychainFindGenericPassword(keychain, 3, "svc", 4, "user", &length, &data, &found) }
            #expect(find() == errSecSuccess)
            #expect(found == item)
            #expect(data.map { Data(bytes: $0, count: Int(length)) } == Data("secret".utf8))
            #expect(SecKeychainItemFreeContent(nil, data) == errSecSuccess)
            let reference = try #require(item)
            #expect(SecKeychainItemModifyAttributesAndData(reference, nil, 3, "new") == errSecSuccess)
            #expect(find() == errSecSuccess)
            #expect(data.map { Data(bytes: $0, count: Int(length)) } == Data("new".utf8))
            SecKeychainItemFreeContent(nil, data)
            // It is not in the search list.
            #expect(SecKeychainFindGenericPassword(nil, 3, "svc", 4, "user", nil, nil, nil) == errSecItemNotFound)
            let list = [keychain] as NSArray
            #expect(SecKeychainFindGenericPassword(list, 3, "svc", 0, nil, nil, nil, nil) == errSecSuccess)
            #expect(SecKeychainFindGenericPassword("text" as NSString, 3, "svc", 0, nil, nil, nil, nil) == errSecParam)
            #expect(SecKeychainItemDelete(reference) == errSecSuccess)
            #expect(find() == errSecItemNotFound)
            #expect(SecKeychainItemDelete(reference) == errSecInvalidItemRef)
        }
    }

    @Test("An internet password has its place by protocol and port")
    func internetPassword() throws {
        app.run {
            #expect(
                SecKeychainAddInternetPassword(
                    nil,
                    4,
                    "host",
                    0,
                    nil,
                    4,
                    "user",
                    2,
                    "/p",
                    443,
                    .HTTPS,
                    .default,
                    6,
                    "secret",
                    nil
                ) == errSecSuccess
            )
            let find = { (port: UInt16, type: SecProtocolType) in
                SecKeychainFindInternetPassword(
                    nil,
                    4,
                    "host",
                    0,
                    nil,
                    4,
                    "user",
                    0,
                    nil,
                    port,
                    type,
                    .any,
                    nil,
                    nil,
                    nil
                )
            }
            #expect(find(0, .any) == errSecSuccess)
            #expect(find(443, .HTTPS) == errSecSuccess)
            #expect(find(80, .HTTPS) == errSecItemNotFound)
            #expect(find(443, .HTTP) == errSecItemNotFound)
            let query: [CFString: Any] = [
                kSecClass: kSecClassInternetPassword, kSecAttrProtocol: kSecAttrProtocolHTTPS, kSecReturnData: true,
            ]
            var result: CFTypeRef?
            #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
            #expect(result as? Data == Data("secret".utf8))
        }
    }

    @Test("A locked keychain asks its owner, and is refused when nobody may be asked")
    func locked() throws {
        app.run {
            #expect(SecKeychainAddGenericPassword(nil, 3, "svc", 4, "user", 6, "secret", nil) == errSecSuccess)
            func find() -> OSStatus {
                var (length, data): (UInt32, UnsafeMutableRawPointer?) = (0, nil)
                defer { SecKeychainItemFreeContent(nil, data) }
                return SecKeychainFindGenericPassword(nil, 3, "svc", 4, "user", &length, &data, nil)
            }
            #expect(SecKeychainLock(nil) == errSecSuccess)
            device.owner.answer = .fails
            #expect(find() == errSecAuthFailed)
            device.owner.answer = .cancels
            #expect(find() == errSecUserCanceled)
            device.owner.answer = .isAway
            #expect(find() == errSecInteractionNotAllowed)
            // Whether it is there is known all the same.
            #expect(SecKeychainFindGenericPassword(nil, 3, "svc", 4, "user", nil, nil, nil) == errSecSuccess)
            device.owner.answer = .succeeds
            #expect(find() == errSecSuccess)
        }
        device.reboot()
        let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecReturnData: true]
        device.owner.answer = .isAway
        #expect(app.run { SecItemCopyMatching(query as CFDictionary, nil) } == errSecInteractionNotAllowed)
        try device.unlock()
        #expect(app.run { SecItemCopyMatching(query as CFDictionary, nil) } == errSecSuccess)
    }

    @Test("Attributes are read and written as bytes")
    func attributes() throws {
        try app.run {
            var account = Array("user".utf8)
            var port = UInt32(8080)
            var item: SecKeychainItem?
            let made: OSStatus = account.withUnsafeMutableBytes { account in
                withUnsafeMutableBytes(of: &port) { port in
                    var attributes = [
                        SecKeychainAttribute(
                            tag: SecItemAttr.accountItemAttr.rawValue,
                            length: 4,
                            data: account.baseAddress
                        ),
                        SecKeychainAttribute(tag: SecItemAttr.portItemAttr.rawValue, length: 4, data: port.baseAddress),
                    ]
                    return attributes.withUnsafeMutableBufferPointer { attributes in
                        var list = SecKeychainAttributeList(count: 2, attr: attributes.baseAddress)
                        return SecKeychainItemCreateFromContent(
                            .internetPasswordItemClass,
                            &list,
                            6,
                            "secret",
                            nil,
                            nil,
                            &item
                        )
                    }
                }
            }
            #expect(made == errSecSuccess)
            let reference = try #require(item)
            var tags = [
                SecItemAttr.accountItemAttr.rawValue, SecItemAttr.portItemAttr.rawValue,
                SecItemAttr.creationDateItemAttr.rawValue, SecItemAttr.commentItemAttr.rawValue,
            ]
            var list: UnsafeMutablePointer<SecKeychainAttributeList>?
            var (length, data): (UInt32, UnsafeMutableRawPointer?) = (0, nil)
            var itemClass = SecItemClass.genericPasswordItemClass
            let read: OSStatus = tags.withUnsafeMutableBufferPointer { tags in
                guard let start = tags.baseAddress else { return errSecParam }
                var info = SecKeychainAttributeInfo(count: 4, tag: start, format: nil)
                return SecKeychainItemCopyAttributesAndData(reference, &info, &itemClass, &list, &length, &data)
            }
            #expect(read == errSecSuccess)
            #expect(itemClass == .internetPasswordItemClass)
            #expect(data.map { Data(bytes: $0, count: Int(length)) } == Data("secret".utf8))
            let values = try #require(list?.pointee.attr)
            #expect(values[0].data.map { Data(bytes: $0, count: Int(values[0].length)) } == Data("user".utf8))
            #expect(values[1].data?.loadUnaligned(as: UInt32.self) == 8080)
            #expect(values[2].length == 16)
            #expect(values[3].data == nil)
            #expect(SecKeychainItemFreeAttributesAndData(list, data) == errSecSuccess)

            var keychain: SecKeychain?
            var standard: SecKeychain?
            #expect(SecKeychainItemCopyKeychain(reference, &keychain) == errSecSuccess)
            #expect(SecKeychainCopyDefault(&standard) == errSecSuccess)
            #expect(keychain == standard)

            var access: SecAccess?
            #expect(SecAccessCreate("for a test" as CFString, [] as NSArray, &access) == errSecSuccess)
            let created = try #require(access)
            #expect(SecKeychainItemSetAccess(reference, created) == errSecSuccess)
            #expect(SecKeychainItemCopyAccess(reference, &access) == errSecSuccess)
            #expect(access == created)
            #expect(SecAccessCreate("wrong" as CFString, ["text"] as NSArray, &access) == errSecParam)

            var bytes: CFData?
            #expect(SecKeychainItemCreatePersistentReference(reference, &bytes) == errSecSuccess)
            var again: SecKeychainItem?
            let persistent = try #require(bytes)
            #expect(SecKeychainItemCopyFromPersistentReference(persistent, &again) == errSecSuccess)
            #expect(again == reference)
            #expect(SecKeychainItemCopyFromPersistentReference(Data([1]) as CFData, &again) == errSecParam)
        }
    }

    @Test("A device of another kind has no keychain files")
    func elsewhere() throws {
        let phone = try VirtualDevice().install("com.example.app", team: "TEAMID1234")
        phone.run {
            var keychain: SecKeychain?
            #expect(SecKeychainCreate("build.keychain", 2, "pw", false, nil, &keychain) == errSecNotAvailable)
            #expect(SecKeychainCopyDefault(&keychain) == errSecSuccess)
            #expect(status(keychain) == nil)
        }
    }
}
