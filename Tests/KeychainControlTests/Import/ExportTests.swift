// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl export`, and what an import makes of it in another keychain.
struct ExportTests {
    private var scene: ItemScene

    init() throws { scene = try ItemScene() }

    @Test("every attribute of a password is the same after an export and an import", arguments: ["json", "csv"])
    func roundTrip(_ format: String) throws {
        try scene.add(.genericPassword, ["svce": .string("a,\"b"), "acct": .string("ada\n"), "icmt": .string("c")])
        try scene.add(.genericPassword, ["svce": .string("sync"), "sync": .boolean(true), "pdmn": .string("ak")])
        try scene.add(
            .internetPassword,
            [
                "srvr": .string("example.com"), "acct": .string("ada"), "ptcl": .string("htps"),
                "port": .number(.integer(8_443)), "path": .string("/p"), "sdmn": .string("d"), "atyp": .string("http"),
                "labl": .string("l"), "desc": .string("k"), "pdmn": .string("aku"),
            ],
            secret: ""
        )
        if format == "json" {
            try scene.add(.genericPassword, ["svce": .string("more"), "gena": .data(SecretBytes([0xFF, 0]))])
            try scene.add(.genericPassword, ["svce": .string("group"), "agrp": .string("com.example.other")])
            let attributes = try LookupAttributes([
                LookupAttributes.Pair("xdg:schema", "org.example"), LookupAttributes.Pair("server", "s"),
            ])
            let contents = LookupContents(
                attributes: attributes,
                label: "service",
                secret: SecretBytes([0xFF, 0x0A]),
                contentType: "application/octet-stream",
                created: nil,
                modified: nil
            )
            _ = try scene.control.keychain.perform(.person(.store(contents, replacing: false)))
        }
        let path = scene.folder.path(of: "file")
        let exported = try scene.run("export", "--all", "--format", format, "--output", path)
        #expect(exported.status == 0 && exported.remarks.contains("Secrets leave the keychain"), "\(exported)")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let other = try ItemScene()
        let imported = try other.run("import", path)
        #expect(imported.status == 0, "\(imported)")
        #expect(try listing(other) == listing(scene))
        if format == "json" { #expect(try lookups(other) == lookups(scene)) }
        #expect(try other.run("import", path).output.hasPrefix("Added 0 passwords"))
        let second = try other.run("export", "--all", "--format", format)
        let first = String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
        #expect(withoutTimes(second.text) == withoutTimes(first))
        // Times are for people, and said where an import has no place for them.
        #expect(first.contains("\"created\": \"20") == (format == "json"))
        #expect(imported.output.contains("× time") == (format == "json"), "\(imported)")
    }

    private func withoutTimes(_ text: String) -> [Substring] {
        text.split(separator: "\n").filter { !$0.contains("\"created\"") && !$0.contains("\"modified\"") }
    }

    /// What the Secret Service shows of all passwords, without times.
    private func lookups(_ scene: ItemScene) throws -> Set<NSDictionary> {
        let outcome = try scene.run("attributes", "--json")
        let items = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]]
        return Set(
            try #require(items).map { item in
                item.filter { !["created", "modified"].contains($0.key) } as NSDictionary
            }
        )
    }

    /// All passwords without times and identifiers.
    private func listing(_ scene: ItemScene) throws -> String {
        withoutTimes(try scene.run("list", "--json").output).joined(separator: "\n")
    }

    @Test("variables are read again as they were written, and two of one name are said")
    func variables() throws {
        let passwords = [
            ("TOKEN", "a'b\"$\\\n"), ("web/ada", "x"), ("web.ada", "y"), ("BQ", "it's `touch pwned`"),
        ]
        for (name, secret) in passwords {
            #expect(try scene.run(["set", name, "--keep-newline"], input: secret).status == 0)
        }
        let path = scene.folder.path(of: "env")
        let exported = try scene.run("export", "--all", "--format", "env", "--output", path)
        #expect(exported.status == 1 && exported.remarks.contains("another one has the name WEB_ADA"), "\(exported)")
        let other = try ItemScene()
        #expect(try other.run("import", path).status == 0)
        #expect(try other.run("get", "TOKEN").text == "a'b\"$\\\n")
        #expect(try other.run("get", "BQ").text == "it's `touch pwned`")
    }

    @Test("a shell that reads variables runs nothing of a name or a password")
    func shell() throws {
        let names = ["GH=1\nLD_PRELOADX=/tmp/x\nB", "Q=1;touch pwned;Z", "$(touch pwned)", "`touch pwned`", "1'x"]
        let rows = names.map { "\"\($0)\",,,\"it's `touch pwned` $(touch pwned)\",,\n" }
        let table = scene.folder.path(of: "passwords.csv")
        let text = "Title,URL,Username,Password,Notes,OTPAuth\n" + rows.joined()
        try Data(text.utf8).write(to: URL(fileURLWithPath: table))
        #expect(try scene.run("import", table).status == 0)
        let path = scene.folder.path(of: "env")
        #expect(try scene.run("export", "--all", "--format", "env", "--output", path).status == 0)
        let shell = Shell(environment: ["PATH": "/usr/bin:/bin", "PWD": scene.folder.path])
        let script = "cd '\(scene.folder.path)' && set -a && . ./env && env | cut -d= -f1 && ls"
        let read = try shell.run("/bin/sh", ["-c", script])
        #expect(read.status == 0 && !read.output.contains("pwned") && !read.output.contains("LD_PRELOADX\n"), "\(read)")
        #expect(read.output.contains("LD_PRELOADX__TMP_X_B"))
    }

    @Test("a file is not replaced, and a terminal gets no secrets, unless that is asked for")
    func consent() throws {
        _ = try scene.run("set", "svc/ada", input: "x")
        let path = scene.folder.path(of: "file")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try scene.run("export", "svc/ada", "--output", path).status == 1)
        #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
        #expect(try scene.run("export", "svc/ada", "--output", path, "--replace").status == 0)
        var scene = scene
        scene.control.isTerminal = true
        #expect(try scene.run("export", "svc/ada").status == 2)
        #expect(try scene.run("export", "svc/ada", "--to-terminal").text.contains("\"password\": \"x\""))
        #expect(try scene.run("export").status == 2)
    }

    @Test("a sealed file is opened by its passphrase alone, whole, and not after a change of any byte")
    func sealed() throws {
        let passphrase = SecretBytes(Array("correct horse".utf8))
        for count in [0, 1, 65_535, 65_536, 65_537, 131_072] {
            let plain = SecretBytes([UInt8](repeating: 7, count: count))
            let sealed = try AgeFile.sealed(plain, by: passphrase, log2Cost: 2)
            #expect(AgeFile.isOne(sealed) && AgeFile.hasPassphrase(sealed))
            #expect(try AgeFile.opened(sealed, by: passphrase) == plain)
            #expect(throws: Refusal("the passphrase of the sealed file is wrong")) {
                try AgeFile.opened(sealed, by: SecretBytes([0x78]))
            }
        }
        let bytes = try AgeFile.sealed(SecretBytes([1, 2, 3]), by: passphrase, log2Cost: 2).unprotectedCopy
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(throws: Refusal.self) { try AgeFile.opened(SecretBytes(changed), by: passphrase) }
        }
        for count in 0..<bytes.count {
            #expect(throws: Refusal.self) { try AgeFile.opened(SecretBytes(Array(bytes[..<count])), by: passphrase) }
        }
        let text = "age-encryption.org/v1\n-> scrypt AAAAAAAAAAAAAAAAAAAAAA 30\n"
        let body = String(repeating: "A", count: 43)
        #expect(throws: Refusal("the sealed file demands too much work: 2^30")) {
            try AgeFile.opened(SecretBytes(Array("\(text)\(body)\n--- \(body)\n".utf8)), by: passphrase)
        }
    }
}
