// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainMacFrontEnd

/// Which keychain a call is for, as both sides see it.
struct RouteTests {
    enum Reached: String {
        case dataProtection, files, both, nobody
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var query: PropertyDictionary
        var copy: Reached
        /// Of an add; `nil` for the same as a copy.
        var add: Reached?

        init(_ name: String, _ query: PropertyDictionary, copy: Reached, add: Reached? = nil) {
            testDescription = name
            self.query = query
            self.copy = copy
            self.add = add
        }
    }

    private static let genp = PropertyValue.string("genp")
    private static let file = KeychainItemReference(keychain: "/k", itemClass: .genericPassword, identifier: .zero)
    private static let modern = ItemReference.key(KeyReference(attributes: [:], data: nil))
    private static let shortReference = PropertyValue.data(SecretBytes(Array("genp00000000".utf8)))
    private static let otherReference = PropertyValue.data(SecretBytes(Array("other".utf8)))

    static let rows: [Row] =
        [
            Row("a class", ["class": genp], copy: .both, add: .files),
            Row("nothing", [:], copy: .files),
            Row("flag true", ["class": genp, "nleg": .boolean(true)], copy: .dataProtection),
            Row("flag 1", ["class": genp, "nleg": .number(.integer(1))], copy: .dataProtection),
            Row("flag \"1\"", ["class": genp, "nleg": .string("1")], copy: .dataProtection),
            Row("flag \"01\"", ["class": genp, "nleg": .string("01")], copy: .files),
            Row("flag \"yes\"", ["class": genp, "nleg": .string("yes")], copy: .files),
            Row("flag 0.5", ["class": genp, "nleg": .number(.real(0.5))], copy: .files),
            Row("flag 2^32", ["class": genp, "nleg": .number(.integer(1 << 32))], copy: .files),
            Row("flag null", ["class": genp, "nleg": .null], copy: .files),
            Row("flag data", ["class": genp, "nleg": .data(SecretBytes([1]))], copy: .files),
            Row(
                "flag true beats file-based keys",
                ["nleg": .boolean(true), "u_Keychain": .keychain("/k")],
                copy: .dataProtection
            ),
            Row("flag false beats synchronizable", ["nleg": .boolean(false), "sync": .boolean(true)], copy: .files),
            Row("flag false beats a token", ["nleg": .boolean(false), "tkid": .string("t")], copy: .files),
            Row(
                "flag false beats a reference",
                ["nleg": .boolean(false), "v_PersistentRef": shortReference],
                copy: .files
            ),
            Row("sharing group", ["class": genp, "ggrp": .string("g")], copy: .dataProtection),
            Row(
                "sharing group, flag false",
                ["class": genp, "ggrp": .string("g"), "nleg": .boolean(false)],
                copy: .nobody
            ),
            Row("system keychain", ["class": genp, "u_SystemKeychainAlways": .boolean(true)], copy: .dataProtection),
            Row(
                "system keychain false",
                ["class": genp, "u_SystemKeychainAlways": .boolean(false)],
                copy: .both,
                add: .files
            ),
            Row("modern key", ["v_Ref": .reference(modern)], copy: .dataProtection),
            Row(
                "key of a file",
                ["v_Ref": .reference(.key(KeyReference(attributes: [:], data: nil, keychainItem: file)))],
                copy: .files
            ),
            Row(
                "certificate",
                ["v_Ref": .reference(.certificate(CertificateReference(data: SecretBytes())))],
                copy: .both,
                add: .files
            ),
            Row(
                "certificate of a file",
                ["v_Ref": .reference(.certificate(CertificateReference(data: SecretBytes(), keychainItem: file)))],
                copy: .files
            ),
            Row("item of a file", ["v_Ref": .reference(.keychainItem(file))], copy: .files),
            Row("another type", ["v_Ref": .object("something")], copy: .both, add: .files),
            Row("token", ["class": genp, "tkid": .string("t")], copy: .dataProtection),
            Row("access control of any type", ["class": genp, "accc": .null], copy: .dataProtection),
            Row("group of tokens", ["class": genp, "agrp": .string("com.apple.token")], copy: .dataProtection),
            Row("another group", ["class": genp, "agrp": .string("group")], copy: .both, add: .files),
            Row("synchronizable", ["class": genp, "sync": .boolean(true)], copy: .dataProtection),
            Row("synchronizable any", ["class": genp, "sync": .string("syna")], copy: .both, add: .files),
            Row("reference of 12 bytes", ["v_PersistentRef": shortReference], copy: .dataProtection),
            Row("another reference", ["v_PersistentRef": otherReference], copy: .files),
            Row("empty reference", ["v_PersistentRef": .data(SecretBytes())], copy: .files),
            Row("a string as the reference", ["v_PersistentRef": .string("genp00000000")], copy: .files),
            Row(
                "limit, match and accessibility decide nothing",
                ["class": genp, "m_Limit": .string("m_LimitAll"), "pdmn": .string("ak")],
                copy: .both,
                add: .files
            ),
            Row("synchronizable alone", ["sync": .boolean(true)], copy: .nobody),
            Row(
                "token and search list",
                ["class": genp, "tkid": .string("t"), "m_SearchList": .array([])],
                copy: .nobody
            ),
            Row(
                "modern key and keychain",
                ["v_Ref": .reference(modern), "u_Keychain": .keychain("/k")],
                copy: .nobody
            ),
        ]
        + [
            "m_ItemList", "m_SearchList", "m_SubjectStartsWith", "m_SubjectEndsWith", "m_SubjectWholeString",
            "m_DiacriticInsensitive", "m_WidthInsensitive", "u_ItemList", "u_Keychain", "acls", "prf", "salt", "rounds",
        ]
        .map { Row($0, ["class": genp, $0: .null], copy: .files) }

    @Test("A call reaches the keychains that its query names", arguments: rows)
    func route(_ row: Row) {
        for (isAdd, expected) in [(false, row.copy), (true, row.add ?? row.copy)] {
            let (dataProtection, files) = (StandIn(), StandIn())
            let frontEnd = FrontEndKeychain(dataProtection: dataProtection, files: files)
            let outcome = frontEnd.outcome(isAdd ? .add(row.query) : .copyMatching(row.query))
            let reached: Reached =
                switch (dataProtection.operations.count, files.operations.count) {
                case (1, 0): .dataProtection
                case (0, 1): .files
                case (1, 1): .both
                default: .nobody
                }
            #expect(reached == expected)
            #expect((outcome.outcome == "\(Status.parameter)") == (expected == .nobody))
        }
    }
}
