// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// The file that says which unit may read what, and the address that says which unit asks.
struct CredentialTableTests {
    private static func table(_ text: String) throws(Refusal) -> CredentialTable {
        try CredentialTable(Array(text.utf8), in: "table")
    }

    private static func request(_ address: String) -> CredentialRequest? {
        CredentialRequest(address: Array(address.utf8))
    }

    @Test("a unit gets what its line names, an instance what its template names, and no other anything")
    func rows() throws {
        let table = try Self.table(
            """
            # what the units get

            app.service token keychain://github.com/ada
            \tapp.service\tuser   keychain://github.com/ada?account\r
            job@.service key keychain://job
            job@two.service key keychain://job/two
            """
        )
        func text(_ unit: String, _ name: String) throws -> String? {
            table.reference(for: try #require(Self.request("\0x1/unit/\(unit)/\(name)")))?.text
        }
        #expect(try text("app.service", "token") == "keychain://github.com/ada")
        #expect(try text("app.service", "user") == "keychain://github.com/ada?account")
        #expect(try text("job@one.service", "key") == "keychain://job")
        #expect(try text("job@two.service", "key") == "keychain://job/two")
        for (unit, name) in [
            ("app.service", "Token"), ("app.servic", "token"), ("app.service", "key"), ("job.service", "key"),
            ("job@one.socket", "key"), ("xjob@one.service", "key"), ("app@one.service", "token"),
        ] {
            #expect(try text(unit, name) == nil, "\(unit) \(name)")
        }
    }

    @Test(
        "a mistake is told with its line, and without what stands there, which may be a secret",
        arguments: [
            "app.service token", "app.service token keychain://a keychain://b", "app.service token hunter2",
            "app/x.service token keychain://a", "app.service to/ken keychain://a", "app.service .. keychain://a",
            "app.service to:ken keychain://a", "app.service token keychain://",
            "app.service token keychain://a?hunter2",
            "app.service token keychain://a/b/c", "äpp.service token keychain://a",
            "app.service token keychain://b\napp.service token keychain://a",
        ]
    )
    func mistakes(_ line: String) {
        let refusal = #expect(throws: Refusal.self) { try Self.table("# one\n\(line)\n") }
        let number = 1 + line.split(separator: "\n").count
        #expect(refusal?.description.hasPrefix("table, line \(number): ") == true, "\(refusal?.description ?? "")")
        #expect(refusal?.description.contains("hunter2") == false)
        #expect(refusal?.status == .usage)
    }

    @Test("an empty table gives nothing")
    func empty() throws { #expect(try Self.table("").rows.isEmpty) }

    @Test("a table is read that only its user may change, and no other")
    func permissions() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "credentials")
        #expect(throws: Refusal.self) { try CredentialTable(file: path) }
        try "app.service token keychain://a".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(chmod(path, 0o644) == 0)
        #expect(try CredentialTable(file: path).rows.count == 1)
        for mode in [0o646, 0o666] as [mode_t] {
            #expect(chmod(path, mode) == 0)
            let refusal = #expect(throws: Refusal.self) { try CredentialTable(file: path) }
            #expect(refusal?.description.contains("changed by others") == true)
        }
        #expect(chmod(path, 0o600) == 0)
        #expect(chmod(folder.path, 0o777) == 0)
        #expect(throws: Refusal.self) { try CredentialTable(file: path) }
        #expect(chmod(folder.path, 0o700) == 0)
        let link = folder.path(of: "link")
        #expect(symlink(path, link) == 0)
        #expect(throws: Refusal.self) { try CredentialTable(file: link) }
        #expect(throws: Refusal.self) { try CredentialTable(file: folder.path) }
        let pipe = folder.path(of: "pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(throws: Refusal.self) { try CredentialTable(file: pipe) }
    }

    @Test("the address of systemd has unit and credential")
    func address() {
        let request = Self.request("\0adf9d86b6eda275e/unit/foobar.service/credx")
        #expect(request?.unit == "foobar.service" && request?.name == "credx")
        #expect(Self.request("\0a/unit/foo@a\\x2db.service/some.name-1")?.unit == "foo@a\\x2db.service")
    }

    @Test(
        "no other address is understood",
        arguments: [
            "", "\0", "/run/a/unit/b.service/c", "a/unit/b.service/c", "\0/unit/b.service/c", "\0a/unit//c",
            "\0a/unit/b.service/", "\0a/unit/b.service", "\0a/Unit/b.service/c", "\0a/unit/b.service/c/d",
            "\0a b/unit/b.service/c", "\0a/unit/b service/c", "\0a/unit/b.service/c\0", "\0a/unit/b.service/c\n",
            "\0a/unit/../c", "\0ä/unit/b.service/c", "\0a/unit/b.service/..",
        ]
    )
    func otherAddress(_ address: String) {
        let request = Self.request(address)
        // A unit of two dots is a name, which no table and no control group has.
        #expect(request == nil || request?.unit == "..")
    }
}
