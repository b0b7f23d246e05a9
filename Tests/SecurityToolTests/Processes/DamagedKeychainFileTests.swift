// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import SecurityTranscripts
import Testing

/// A keychain file of which a bit was altered, as `security` tells of it.
struct DamagedKeychainFileTests {
    private let user: ToolUser
    private let session: ToolSession
    private let path: String
    private static let damage = "The specified keychain is not a valid keychain file."

    init() throws {
        user = try ToolUser()
        session = ToolSession(user)
        path = user.home.path(of: "test.keychain")
        _ = try session.run(["create-keychain", "-p", "p", path], input: nil)
        _ = try session.run(["add-generic-password", "-a", "anna", "-s", "s1", "-w", "first", path], input: nil)
        _ = try session.run(["lock-keychain", path], input: nil)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let mark = try #require(bytes.range(of: Data("SKKB".utf8)))
        bytes[mark.upperBound + 60] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    private static let commands: [(String, Int32)] = [
        ("find-generic-password -s s1", 49), ("find-generic-password -s s1 -w", 49), ("find-certificate -a", 49),
        ("delete-generic-password -s s1", 49), ("delete-certificate -c x", 49), ("dump-keychain", 1), ("find-key", 1),
        ("find-identity", 0), ("export -t certs -k", 1), ("set-key-partition-list -S apple: -k p", 1),
    ]

    @Test("of one that is named every command says that it is damaged", arguments: commands)
    func named(_ words: String, _ status: Int32) throws {
        let result = try session.run(words.split(separator: " ").map(String.init) + [path], input: nil)
        #expect(result.status == status)
        #expect(result.errorText.contains(Self.damage), "\(result.errorText)")
    }

    @Test("one that cannot be deleted stays in the search list")
    func deletion() throws {
        #expect(try session.run(["list-keychains", "-s", path], input: nil).status == 0)
        #expect(try session.run(["delete-keychain", path], input: nil).status == 49)
        #expect(try session.run(["list-keychains"], input: nil).outputText.contains(path))
    }

    @Test("of one in the search list commands that find nothing elsewhere say so, and which it is")
    func listed() throws {
        #expect(try session.run(["list-keychains", "-s", path], input: nil).status == 0)
        for (words, status) in Self.commands where !words.hasPrefix("set-key") && !words.hasSuffix("-k") {
            let result = try session.run(words.split(separator: " ").map(String.init), input: nil)
            #expect(result.status == status, "\(words)")
            #expect(result.errorText.contains(Self.damage) && result.errorText.contains(path), "\(words)")
        }
        let other = user.home.path(of: "other.keychain")
        #expect(try session.run(["create-keychain", "-p", "p", other], input: nil).status == 0)
        let item = ["-a", "anna", "-s", "s2", "-w", "second", other]
        #expect(try session.run(["add-generic-password"] + item, input: nil).status == 0)
        #expect(try session.run(["list-keychains", "-s", path, other], input: nil).status == 0)
        let found = try session.run(["find-generic-password", "-s", "s2", "-w"], input: nil)
        #expect(found.outputText == "second\n" && found.errorText.isEmpty)
    }
}
