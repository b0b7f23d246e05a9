// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainTestSupport
import ServerTestSupport
import Testing

/// Text with too many combining marks is errSecParam, in memory as by a daemon.
@Suite(.timeLimit(.minutes(2)))
struct CombiningMarksTests {
    private static let text = "a" + String(repeating: "\u{301}\u{323}", count: 1_000)

    private static let client = Client(accessGroups: ["a"])

    private static let calls: [KeychainRequest.Operation] = {
        let query: PropertyDictionary = ["class": .string("genp"), "acct": .string("anna")]
        let changed = { (key: String, value: PropertyValue) in
            var changed = query
            changed[key] = value
            return changed
        }
        return [
            .add(changed("labl", .string(text))), .copyMatching(changed("acct", .string(text))),
            .copyMatching(changed(text, .boolean(true))), .copyMatching(changed("agrp", .string(text))),
            .copyMatching(changed("class", .string(text))),
            .copyMatching(changed("m_ItemList", .array([.string(text)]))),
            .update(query, attributes: ["labl": .string(text)]),
            .delete(changed("svce", .string(text))),
        ]
    }()

    @Test("a key or a value that takes too long to compare is refused", arguments: calls.indices)
    func refused(_ index: Int) throws {
        let keychain = EmbeddedKeychain.inMemory()
        let item: PropertyDictionary = ["class": .string("genp"), "acct": .string("anna")]
        _ = try keychain.perform(KeychainRequest(.add(item), client: Self.client))
        let server = try TestServer(keychain)
        for backend in [keychain, server.client()] as [any KeychainBackend] {
            let error = #expect(throws: KeychainError.self) {
                try backend.perform(KeychainRequest(Self.calls[index], client: Self.client))
            }
            #expect(error?.status == .parameter, "\(error?.reason ?? "")")
        }
    }
}
