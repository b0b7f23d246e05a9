// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import Testing

/// Errors name attributes and keys, never what they hold.
struct SilentErrorTests {
    private static let value = "hunter2-and-more"
    private static let client = Client(accessGroups: ["group"])
    private static let text = PropertyValue.string(value)
    private static let data = PropertyValue.data(SecretBytes(Array(value.utf8)))

    private static let rejected: [PropertyDictionary] = [
        ["class": text], ["class": .string("genp"), "acct": .array([text])],
        ["class": .string("genp"), "cdat": text], ["class": .string("genp"), "pdmn": text],
        ["class": .string("genp"), "zzzz": text], ["class": .string("genp"), "agrp": text],
        ["class": .string("genp"), "accc": text], ["class": .string("genp"), "m_Limit": text],
        ["class": .string("genp"), "u_AuthUI": text], ["class": .string("genp"), "v_PersistentRef": data],
        ["class": .string("genp"), "v_Data": text], ["class": .string("genp"), "r_Data": text],
        ["class": .string("genp"), "v_Ref": text], ["class": .string("cert"), "issr": text],
        ["class": .string("genp"), "agrp": .data(SecretBytes([0xFF])), "acct": data],
    ]

    @Test("no error shows the value of an attribute or a secret", arguments: rejected)
    func isSilent(_ dictionary: PropertyDictionary) throws {
        let keychain = EmbeddedKeychain.inMemory()
        let operations: [KeychainRequest.Operation] = [
            .add(dictionary), .copyMatching(dictionary), .update(dictionary, attributes: [:]), .delete(dictionary),
            .update(["class": .string("genp")], attributes: dictionary),
        ]
        var shown: [String] = []
        for operation in operations {
            do throws(KeychainError) {
                _ = try keychain.perform(KeychainRequest(operation, client: Self.client))
            } catch {
                shown.append("\(error) \(String(reflecting: error))")
            }
        }
        #expect(!shown.isEmpty)
        #expect(shown.allSatisfy { !$0.contains("hunter2") && !$0.contains("104, 117, 110, 116") })
    }

    @Test("a duplicate does not show what it clashes with")
    func duplicateIsSilent() throws {
        let keychain = EmbeddedKeychain.inMemory()
        let item: PropertyDictionary = ["class": .string("genp"), "acct": Self.text, "v_Data": Self.data]
        _ = try keychain.perform(KeychainRequest(.add(item), client: Self.client))
        #expect {
            try keychain.perform(KeychainRequest(.add(item), client: Self.client))
        } throws: {
            ($0 as? KeychainError)?.status == .duplicateItem && !"\($0)".contains("hunter2")
        }
    }
}
