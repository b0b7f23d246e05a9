// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SecurityTool

/// The name of the one keychain.
struct KeychainNameTests {
    @Test("the name is in the home folder", arguments: ["/home/alice", "/home/alice/", "/home/alice//"])
    func path(_ home: String) {
        let name = KeychainName(home: ByteText(home))
        #expect(name.path == "/home/alice/Library/Keychains/login.keychain-db")
    }

    static let operands: [(String, Bool)] = [
        ("login.keychain", true),
        ("login.keychain-db", true),
        ("/home/alice/Library/Keychains/login.keychain", true),
        ("/home/alice/Library/Keychains/login.keychain-db", true),
        ("login", false),
        ("", false),
        ("login.keychain-db-db", false),
        ("LOGIN.keychain", false),
        ("/login.keychain", false),
        ("/home/bob/Library/Keychains/login.keychain", false),
        ("../Keychains/login.keychain", false),
    ]

    @Test("an operand means it, or a keychain that does not exist", arguments: operands)
    func operand(_ operand: String, _ isMeant: Bool) {
        #expect(KeychainName(home: "/home/alice").isMeant(by: Word(operand)) == isMeant)
    }

    @Test("a search without operands covers it, and one with others does not")
    func search() {
        let name = KeychainName(home: "/h")
        #expect(name.isSearched(by: []))
        #expect(name.isSearched(by: [Word("ghost"), Word("login.keychain")]))
        #expect(!name.isSearched(by: [Word("ghost")]))
    }

    @Test("a home that is not UTF-8 is kept byte by byte")
    func bytes() {
        let name = KeychainName(home: ByteText([0x2F, 0xFF]))
        #expect(name.path.bytes.starts(with: [0x2F, 0xFF, 0x2F, 0x4C]))
    }
}
