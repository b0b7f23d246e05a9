// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import SecurityTool

/// Who may use an item, as `dump-keychain -a` shows it.
struct AccessSectionTests {
    private let store = UserKeychain(backend: FakeKeychain(), name: KeychainName(home: "/h"))

    @Test("each entry has its operations, whether a password is wanted, a description and its programs")
    func entries() throws {
        let values: [String: PropertyValue] = [PropertyKey.valuePersistentReference: .data(SecretBytes([1]))]
        let item = try #require(StoredItem(.genericPassword, .dictionary(values), in: store))
        let access = ItemAccess(
            entries: [
                AccessEntry([.any], for: nil, "one", prompt: 0x0001),
                AccessEntry([.decrypt, .partitions, .generateKey], for: [], "two\nlines", prompt: 0x0080),
                AccessEntry([.changeAccess], for: [TrustedApplication(path: "/no/such/program")], ""),
            ]
        )
        let expected = #"""
            access: 3 entries
                entry 0:
                    authorizations (1): any
                    require-password
                    description: one
                    applications: <null>
                entry 1:
                    authorizations (3): decrypt partition_id gen_key
                    don't-require-password
                    description: 0x74776F0A6C696E6573  "two\012lines"
                    applications (0):
                entry 2:
                    authorizations (1): change_acl
                    don't-require-password
                    description: 
                    applications (1):
                        0: /no/such/program (status -67068)

            """#
        #expect(String(decoding: AccessSection.text(item, access).bytes, as: UTF8.self) == expected)
    }
}
