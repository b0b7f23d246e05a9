// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import KeychainTesting
import Testing

@Suite("What is stored is quoted nowhere", .keychain)
struct QuotedContentTests {
    private let item = GenericPassword(service: "codable")
    private let plain = Protection.accessible(.whenUnlocked)
    private let keychain = SystemKeychain()

    private struct Lists: Codable, KeychainStorable { var lists: [String: [Double]] }

    @Test("An error of decoding says how deep, and names nothing of the value")
    func decoding() throws {
        try keychain.set(#"{"hunter2secret":"x"}"#, for: item, protection: plain)
        let error = failure { () throws(KeychainItemError) in try keychain.value([String: Int].self, for: item) }
        #expect(error?.kind == .undecodableValue)
        #expect(error?.description.contains("hunter2secret") == false)
        #expect(error?.reason.contains("at depth 1") == true)
        try keychain.set(#"{"lists":{"hunter2secret":[1, 2, "x"]}}"#, for: item, protection: plain)
        let deep = failure { () throws(KeychainItemError) in try keychain.value(Lists.self, for: item) }
        #expect(deep?.description.contains("hunter2secret") == false)
        #expect(deep?.reason.contains("at depth 3, index 2") == true)
        try keychain.set(#"{"4711":"x"}"#, for: item, protection: plain)
        let number = failure { () throws(KeychainItemError) in try keychain.value([Int: Int].self, for: item) }
        #expect(number?.description.contains("4711") == false)
    }

    @Test("An error of encoding names nothing of the value")
    func encoding() {
        let value = Lists(lists: ["hunter2secret": [.infinity]])
        let error = failure { () throws(KeychainItemError) in try keychain.set(value, for: item, protection: plain)
        }
        #expect(error?.kind == .unencodableValue)
        #expect(error?.description.contains("hunter2secret") == false)
    }

    @Test("A dump of contents or of a change has no byte of them")
    func dumps() {
        var text = ""
        dump(ItemContents.data(Data("AAAA".utf8)), to: &text)
        dump(ItemUpdate(data: Data("AAAA".utf8), accessGroup: "group"), to: &text)
        #expect(!text.contains("65"))
        #expect(text.contains("group"))
    }
}
