// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import KeychainTestSupport
import Security
import Testing

/// Apple's functions on access lists and their entries.
struct AccessListTests {
    private let app: App

    init() throws { app = try VirtualDevice(.mac).install("com.example.app", team: "TEAMID1234") }

    /// What an entry says.
    private struct Contents: Equatable {
        var authorizations: [String]
        var applications: [SecTrustedApplication]?
        var description: String?
        var prompt: SecKeychainPromptSelector = []
    }

    private func makeAccess(_ programs: CFArray? = nil) throws -> SecAccess {
        var access: SecAccess?
        try #require(SecAccessCreate("for a test" as CFString, programs, &access) == errSecSuccess)
        return try #require(access)
    }

    private func entries(_ access: SecAccess) throws -> [SecACL] {
        var list: CFArray?
        try #require(SecAccessCopyACLList(access, &list) == errSecSuccess)
        return try #require(list as? [SecACL])
    }

    private func entry(_ access: SecAccess, _ authorization: CFString) throws -> SecACL {
        let entries = try #require(SecAccessCopyMatchingACLList(access, authorization) as? [SecACL])
        return try #require(entries.first)
    }

    private func contents(_ acl: SecACL) throws -> Contents {
        var applications: CFArray?
        var description: CFString?
        var prompt = SecKeychainPromptSelector()
        try #require(SecACLCopyContents(acl, &applications, &description, &prompt) == errSecSuccess)
        let authorizations = try #require(SecACLCopyAuthorizations(acl) as? [String])
        return Contents(
            authorizations: authorizations,
            applications: applications as? [SecTrustedApplication],
            description: description as String?,
            prompt: prompt
        )
    }

    private func program(_ path: String?) throws -> SecTrustedApplication {
        var program: SecTrustedApplication?
        try #require(SecTrustedApplicationCreateFromPath(path, &program) == errSecSuccess)
        return try #require(program)
    }

    private func makeItem(_ access: SecAccess?) throws -> SecKeychainItem {
        var item: SecKeychainItem?
        let bytes = Array("secret".utf8)
        let status = SecKeychainAddGenericPassword(nil, 3, "svc", 4, "user", UInt32(bytes.count), bytes, &item)
        try #require(status == errSecSuccess)
        let made = try #require(item)
        if let access { try #require(SecKeychainItemSetAccess(made, access) == errSecSuccess) }
        return made
    }

    private func access(_ item: SecKeychainItem) throws -> SecAccess {
        var access: SecAccess?
        try #require(SecKeychainItemCopyAccess(item, &access) == errSecSuccess)
        return try #require(access)
    }

    @Test("a new access has an entry for what is safe, one for what is not, and one of the owner")
    func standard() throws {
        try app.run {
            let all = try entries(try makeAccess()).map(contents)
            let uses = [
                kSecACLAuthorizationDecrypt, kSecACLAuthorizationDerive, kSecACLAuthorizationExportClear,
                kSecACLAuthorizationExportWrapped, kSecACLAuthorizationMAC, kSecACLAuthorizationSign,
            ]
            let expected = [
                Contents(authorizations: [kSecACLAuthorizationEncrypt as String], description: "for a test"),
                Contents(
                    authorizations: uses.map { $0 as String },
                    applications: [try program(nil)],
                    description: "for a test"
                ),
                Contents(
                    authorizations: [kSecACLAuthorizationChangeACL as String],
                    applications: [],
                    description: "for a test"
                ),
            ]
            #expect(all == expected)
        }
    }

    @Test("every entry set to any application lets every program use the item, and the item says so")
    func anyApplication() throws {
        try app.run {
            let item = try makeItem(nil)
            let access = try makeAccess()
            for acl in try entries(access) {
                #expect(SecACLSetContents(acl, nil, "any" as CFString, []) == errSecSuccess)
            }
            #expect(SecKeychainItemSetAccess(item, access) == errSecSuccess)
            let stored = try entries(try self.access(item)).map(contents)
            #expect(stored.map(\.applications) == [nil, nil, nil])
            #expect(stored.map(\.description) == ["any", "any", "any"])
            #expect(try self.access(item) == access)
        }
    }

    @Test("an item keeps what an access said when it was set, also as an attribute of an add")
    func snapshot() throws {
        try app.run {
            let access = try makeAccess()
            let decrypt = try entry(access, kSecACLAuthorizationDecrypt)
            let other = try program("/bin/sh")
            let selector: SecKeychainPromptSelector = [.requirePassphase, .invalidAct]
            #expect(SecACLSetContents(decrypt, [other] as CFArray, "one" as CFString, selector) == errSecSuccess)
            let query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "added", kSecAttrAccess: access,
                kSecValueData: Data("x".utf8), kSecUseDataProtectionKeychain: false,
            ]
            #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
            let item = try makeItem(access)
            #expect(SecACLSetContents(decrypt, nil, "two" as CFString, []) == errSecSuccess)
            let stored = try contents(try entry(try self.access(item), kSecACLAuthorizationDecrypt))
            #expect(stored.applications == [other])
            #expect(stored.description == "one")
            #expect(stored.prompt == selector)
            // The program is not among those that may decrypt either.
            let search: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "added", kSecUseDataProtectionKeychain: false,
            ]
            #expect(SecItemDelete(search as CFDictionary) == errSecInvalidOwnerEdit)
        }
    }

    @Test("entries are added for every operation, get others, and are removed")
    func ownEntries() throws {
        try app.run {
            let access = try makeAccess([] as NSArray)
            let program = try program("/bin/sh")
            var made: SecACL?
            let list = [program] as CFArray
            #expect(SecACLCreateWithSimpleContents(access, list, "own" as CFString, [], &made) == errSecSuccess)
            let own = try #require(made)
            let all = Contents(
                authorizations: [kSecACLAuthorizationAny as String],
                applications: [program],
                description: "own"
            )
            #expect(try contents(own) == all)
            #expect(try entries(access).last == own)
            #expect((SecAccessCopyMatchingACLList(access, kSecACLAuthorizationMAC) as? [SecACL])?.contains(own) == true)
            let operations = [kSecACLAuthorizationSign, kSecACLAuthorizationKeychainItemDelete] as CFArray
            #expect(SecACLUpdateAuthorizations(own, operations) == errSecSuccess)
            #expect(SecAccessCopyMatchingACLList(access, kSecACLAuthorizationMAC)?.count == 1)
            #expect(SecAccessCopyMatchingACLList(access, kSecACLAuthorizationLogin)?.count == 0)
            #expect(SecAccessCopyMatchingACLList(access, NSNumber(value: 1)) == nil)
            let stored = try self.access(try makeItem(access))
            #expect(try entries(stored).map(contents) == entries(access).map(contents))
            #expect(SecACLRemove(own) == errSecSuccess)
            #expect(try entries(access).count == 3)
            #expect(SecACLRemove(own) == errSecInvalidACL)
            #expect(SecACLSetContents(own, nil, "x" as CFString, []) == errSecInvalidACL)
            #expect(SecACLUpdateAuthorizations(own, operations) == errSecInvalidACL)
            #expect(SecACLCopyAuthorizations(own).count == 0)
        }
    }

    @Test("an access has exactly one entry of the owner")
    func owner() throws {
        try app.run {
            let access = try makeAccess()
            let owner = try entry(access, kSecACLAuthorizationChangeACL)
            #expect(SecACLRemove(owner) == errSecInvalidOwnerEdit)
            #expect(SecACLUpdateAuthorizations(owner, [kSecACLAuthorizationSign] as CFArray) == errSecInvalidOwnerEdit)
            let more = [kSecACLAuthorizationChangeACL, kSecACLAuthorizationDelete] as CFArray
            let restricted = try entry(access, kSecACLAuthorizationSign)
            #expect(SecACLUpdateAuthorizations(restricted, more) == errSecInvalidOwnerEdit)
            #expect(SecACLUpdateAuthorizations(owner, more) == errSecSuccess)
            #expect(SecACLSetContents(owner, nil, "all" as CFString, []) == errSecSuccess)
            #expect(try contents(owner).applications == nil)
        }
    }

    @Test("arrays of other objects are refused, and change nothing")
    func wrongObjects() throws {
        try app.run {
            let access = try makeAccess()
            let before = try entries(access).map(contents)
            let acl = try entry(access, kSecACLAuthorizationDecrypt)
            var made: SecACL?
            #expect(SecACLSetContents(acl, ["x"] as NSArray, "x" as CFString, []) == errSecParam)
            #expect(SecACLUpdateAuthorizations(acl, ["x"] as NSArray) == errSecParam)
            #expect(SecACLUpdateAuthorizations(acl, [] as NSArray) == errSecParam)
            #expect(SecACLCreateWithSimpleContents(access, [acl] as NSArray, "x" as CFString, [], &made) == errSecParam)
            #expect(made == nil)
            #expect(try entries(access).map(contents) == before)
            #expect(CFGetTypeID(acl) == SecACLGetTypeID())
        }
    }

    @Test("the partition list has the form that programs read, and is not changed without the password")
    func partitions() throws {
        try app.run {
            let access = try makeAccess()
            var made: SecACL?
            let text = try partitionText(["apple-tool:", "teamid:AAAAAAAAAA"]) as CFString
            #expect(SecACLCreateWithSimpleContents(access, nil, text, [], &made) == errSecSuccess)
            let list = try #require(made)
            #expect(SecACLUpdateAuthorizations(list, [kSecACLAuthorizationPartitionID] as CFArray) == errSecSuccess)
            #expect(SecACLSetContents(list, nil, "no list" as CFString, []) == errSecParam)
            let query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "parts", kSecAttrAccess: access,
                kSecValueData: Data("x".utf8), kSecUseDataProtectionKeychain: false, kSecReturnRef: true,
            ]
            var result: CFTypeRef?
            #expect(SecItemAdd(query as CFDictionary, &result) == errSecSuccess)
            let item = try #require(result as? SecKeychainItem)
            let stored = try self.access(item)
            let acl = try entry(stored, kSecACLAuthorizationPartitionID)
            let description = try #require(try contents(acl).description)
            #expect(try members(description) == ["apple-tool:", "teamid:AAAAAAAAAA"])
            // An access without a list, and one with the same, leave it.
            #expect(SecKeychainItemSetAccess(item, try makeAccess()) == errSecSuccess)
            #expect(SecKeychainItemSetAccess(item, stored) == errSecSuccess)
            #expect(try self.access(item) == stored)
            let other = try partitionText(["apple:"]) as CFString
            #expect(SecACLSetContents(acl, nil, other, []) == errSecSuccess)
            #expect(SecKeychainItemSetAccess(item, stored) == errSecInteractionNotAllowed)
            #expect(SecACLSetContents(acl, nil, try partitionText([]) as CFString, []) == errSecSuccess)
            #expect(SecKeychainItemSetAccess(item, stored) == errSecInteractionNotAllowed)
        }
    }

    @Test("a partition list on which Foundation crashes or hangs is none", arguments: HostilePropertyList.allCases)
    func hostilePartitions(_ list: HostilePropertyList) throws {
        try app.run {
            var made: SecACL?
            let text = list.data("Partitions").map { String(format: "%02x", $0) }.joined() as CFString
            #expect(SecACLCreateWithSimpleContents(try makeAccess(), nil, text, [], &made) == errSecSuccess)
            let acl = try #require(made)
            #expect(SecACLUpdateAuthorizations(acl, [kSecACLAuthorizationPartitionID] as CFArray) == errSecParam)
        }
    }

    private func partitionText(_ members: [String]) throws -> String {
        let list = ["Partitions": members]
        let bytes = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        return bytes.map { String(format: "%02x", $0) }.joined()
    }

    private func members(_ text: String) throws -> [String]? {
        let digits = Array(text)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
        let data = Data(bytes.compactMap(\.self))
        let list = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: [String]]
        return list?["Partitions"]
    }

    @Test("an access is made of entries for the user, and for nobody else")
    func owners() throws {
        try app.run {
            let source = try makeAccess()
            let decrypt = try entry(source, kSecACLAuthorizationDecrypt)
            let type = SecAccessOwnerType(kSecUseOnlyUID)
            let user = geteuid()
            let made = try #require(SecAccessCreateWithOwnerAndACL(user, 0, type, [decrypt] as CFArray, nil))
            #expect(try entries(made).map(contents).map(\.applications) == [[try program(nil)], []])
            var (owner, group, found) = (uid_t.max, gid_t.max, SecAccessOwnerType(0))
            var list: CFArray?
            #expect(SecAccessCopyOwnerAndACL(made, &owner, &group, &found, &list) == errSecSuccess)
            #expect(owner == user)
            #expect(found == type)
            #expect(list?.count == 2)
            #expect(SecAccessCopyOwnerAndACL(made, nil, nil, nil, nil) == errSecSuccess)
            func failure(_ user: uid_t, type: Int, acls: CFArray?) -> Int? {
                var error: Unmanaged<CFError>?
                guard SecAccessCreateWithOwnerAndACL(user, 0, SecAccessOwnerType(type), acls, &error) == nil else {
                    return nil
                }
                return error?.takeRetainedValue().code
            }
            #expect(failure(user + 1, type: kSecUseOnlyUID, acls: nil) == Int(errSecUnimplemented))
            #expect(failure(user, type: kSecUseOnlyGID, acls: nil) == Int(errSecUnimplemented))
            #expect(failure(user, type: kSecUseOnlyUID | kSecHonorRoot, acls: nil) == Int(errSecUnimplemented))
            #expect(failure(user, type: kSecUseOnlyUID, acls: ["x"] as NSArray) == Int(errSecParam))
            let owners = try [source, made].map { try entry($0, kSecACLAuthorizationChangeACL) }
            #expect(failure(user, type: kSecUseOnlyUID, acls: owners as CFArray) == Int(errSecParam))
            #expect(kSecMatchBits == 3)
        }
    }

    @Test("a program in a list gets another path, and a keychain as a whole has no access")
    func others() throws {
        try app.run {
            let program = try program("/bin/sh")
            #expect(SecTrustedApplicationSetData(program, Data("/bin/cat\0".utf8) as CFData) == errSecSuccess)
            #expect(try program == self.program("/bin/cat"))
            var data: CFData?
            #expect(SecTrustedApplicationCopyData(program, &data) == errSecSuccess)
            #expect(data as Data? == Data("/bin/cat\0".utf8))
            for wrong in ["", "\0", "/a\0b"] {
                #expect(SecTrustedApplicationSetData(program, Data(wrong.utf8) as CFData) == errSecParam)
            }
            #expect(SecTrustedApplicationSetData(program, Data([0xFF]) as CFData) == errSecParam)
            var access: SecAccess?
            #expect(SecKeychainCopyAccess(nil, &access) == errSecUnimplemented)
            #expect(SecKeychainSetAccess(nil, try makeAccess()) == errSecUnimplemented)
        }
    }
}
