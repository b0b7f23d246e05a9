// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import SecurityTranscripts
import Testing

/// Certificates and keys that are locked or damaged: none of them counts as one that is not there.
@Suite(.timeLimit(.minutes(30)))
struct GapTests {
    private let user: ToolUser
    private static let damage = "Unable to decode the provided data."
    private static let refusal = "User interaction is not allowed."

    init() throws {
        user = try ToolUser()
        let workshop = try Workshop()
        try workshop.run(
            """
            for name in one two; do
                openssl ecparam -name prime256v1 -genkey -noout -out $name.key
                openssl req -x509 -new -key $name.key -subj /CN=$name -days 3650 -out $name.pem
                openssl pkcs12 -export -inkey $name.key -in $name.pem -passout pass:secret -out $name.p12
            done
            """
        )
        for name in ["one.p12", "two.p12"] {
            try Data(workshop.bytes(name)).write(to: URL(fileURLWithPath: user.current.path(of: name)))
        }
    }

    private func run(_ line: String) throws -> ToolProcess.Result {
        try user.run(line.split(separator: " ").map(String.init))
    }

    private func importBoth(_ options: String = "") throws {
        for name in ["one", "two"] {
            let result = try run("import \(name).p12 -P secret \(options)")
            #expect(result.status == 0, "\(result.errorText)")
        }
    }

    /// Damages the first item of a class, in the data protection keychain or a keychain file.
    private func damage(_ table: String, _ column: String, in path: String? = nil) throws {
        let store = try RawStore(path: path ?? user.keychainPath + "/keychain.db")
        try store.execute(
            "UPDATE \(table) SET \(column) = zeroblob(100) WHERE id = (SELECT min(id) FROM \(table))"
        )
    }

    /// That an export fails, again and again, and leaves the file of an earlier one.
    private func expectNoExport(of kinds: [String], because reason: String, options: String = "") throws {
        let advice = reason == Self.damage ? "nothing was exported" : "the keychain is locked; to run"
        let path = user.current.path(of: "exported")
        for kind in kinds {
            for _ in 0..<2 {
                try Data("earlier".utf8).write(to: URL(fileURLWithPath: path))
                for output in ["-o exported", ""] {
                    let result = try run("export -t \(kind) -f pemseq -P secret \(output) \(options)")
                    #expect(result.status == 1 && result.output.isEmpty, "\(kind)")
                    #expect(result.errorText.contains("\(reason)\nsecurity: \(advice)"), "\(kind): \(result.errorText)")
                }
                #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("earlier".utf8), "\(kind)")
            }
        }
    }

    /// That a command says so, again and again.
    private func expect(_ command: String, status: Int32, because reason: String) throws {
        for _ in 0..<2 {
            let result = try run(command)
            #expect(result.status == status, "\(command): \(result.status)")
            #expect(result.errorText.contains(reason), "\(command): \(result.errorText)")
        }
    }

    @Test("an export of which a key is damaged fails, and replaces no file", arguments: ["metadata", "secret"])
    func damagedKey(_ column: String) throws {
        try importBoth()
        try damage("items_keys", column)
        try expectNoExport(of: ["identities", "privKeys", "allKeys", "all"], because: Self.damage)
        #expect(try run("export -t certs").output.isEmpty == false)
        try expect("find-identity", status: 0, because: Self.damage)
    }

    @Test("an export of which a certificate is damaged fails, and replaces no file", arguments: ["metadata", "secret"])
    func damagedCertificate(_ column: String) throws {
        try importBoth()
        try damage("items_cert", column)
        try expectNoExport(of: ["identities", "certs", "all"], because: Self.damage)
        try expect("find-identity", status: 0, because: Self.damage)
        try expect("find-certificate -c one", status: 93, because: Self.damage)
        try expect("find-certificate -a", status: 0, because: Self.damage)
        try expect("delete-certificate -c one", status: 93, because: Self.damage)
        try expect("delete-identity -c one", status: 93, because: Self.damage)
        try expect("set-identity-preference -c one -s service", status: 93, because: Self.damage)
        try expect("cms -S -N one -i one.p12", status: 1, because: Self.damage)
        try expect("cms -E -r one -i one.p12", status: 1, because: Self.damage)
        #expect(try run("find-certificate -c two").status == 0)
    }

    @Test("a search for a key that finds nothing else says that one is damaged")
    func onlyKey() throws {
        #expect(try run("import one.p12 -P secret").status == 0)
        try damage("items_keys", "metadata")
        try expect("find-key", status: 1, because: Self.damage)
        try expect("set-key-partition-list -S apple: -k password", status: 1, because: Self.damage)
    }

    @Test("in a keychain file, too, no damaged certificate counts as missing", arguments: ["metadata", "secret"])
    func file(_ column: String) throws {
        #expect(try run("create-keychain -p p test.keychain").status == 0)
        try importBoth("-k test.keychain")
        let path = user.home.path(of: "Library/Keychains/test.keychain-db")
        let found = FileManager.default.fileExists(atPath: path) ? path : user.current.path(of: "test.keychain")
        try damage("items_cert", column, in: found)
        #expect(try run("unlock-keychain -p p test.keychain").status == 0)
        try expectNoExport(of: ["certs", "all"], because: Self.damage, options: "-k test.keychain")
        try expect("find-certificate -c one test.keychain", status: 93, because: Self.damage)
        try expect("find-identity test.keychain", status: 0, because: Self.damage)
    }

    @Test("a locked keychain exports nothing, and says so of identities, keys and certificates")
    func locked() throws {
        try importBoth()
        var options = DeviceOptions()
        options.passwordWork = .minimumInFiles
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: user.keychainPath), device: options)
        try keychain.device.setPasscode(SecretBytes(Array("1234".utf8)))
        try expectNoExport(of: ["identities", "privKeys", "all"], because: Self.refusal)
        try expect("find-identity", status: 0, because: Self.refusal)
        try expect("find-key", status: 1, because: Self.refusal)
        try expect("find-identity", status: 0, because: "the keychain is locked; to run a command unlocked")
        try expect("delete-identity -c one", status: 36, because: Self.refusal)
    }
}
