// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainCertificates
import KeychainCore
import KeychainHost
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainTrust

/// Trust settings: what they do to an evaluation, and their file.
struct SettingsTests {
    private static let host = CertificatePolicy.tls(isServer: true, host: "www.example.com")

    /// Settings of one certificate.
    private func settings(_ name: String, _ rules: [TrustSettings.Rule]) throws -> TrustSettings {
        var settings = TrustSettings()
        try settings.set(rules, for: Samples.certificate(name), at: Samples.date("2026-01-01"))
        return settings
    }

    /// The defects of certificates that the anchors of the system do not know.
    private func defects(
        of names: [String],
        policy: CertificatePolicy,
        settings: [TrustSettings]
    ) throws -> Set<TrustDefect> {
        var request = try Samples.request(names, [policy], anchors: [])
        request.usesSystemAnchors = true
        request.settings = settings
        return Set(try TrustEvaluator.evaluate(request).findings.map(\.defect))
    }

    private func defects(_ names: [String], _ settings: [TrustSettings]) throws -> Set<TrustDefect> {
        try defects(of: names, policy: .basicX509, settings: settings)
    }

    private func rule(
        _ decision: TrustSettings.Decision?,
        _ policy: CertificatePolicy? = nil,
        string: String? = nil,
        error: Int32? = nil
    ) -> TrustSettings.Rule {
        var rule = TrustSettings.Rule(decision)
        rule.policy = policy.map { ObjectIdentifierOctets.octets($0.objectIdentifier) }
        rule.policyName = policy?.settingsName
        rule.policyString = string
        rule.allowedError = error
        return rule
    }

    @Test("a root is an anchor, also one that the chain does not bring along")
    func root() throws {
        let names = ["server", "issuer"]
        #expect(try defects(names, []) == [.untrusted])
        #expect(try defects(names, [settings("root", [])]).isEmpty)
        #expect(try defects(names, [settings("root", [rule(.trustRoot)])]).isEmpty)
        #expect(try defects(names, [settings("root", [rule(nil)])]).isEmpty)
        #expect(try defects(names, [settings("root", [rule(.unspecified)])]) == [.untrusted])
        #expect(try defects(names, [settings("other root", [])]) == [.untrusted])
        var request = try Samples.request(names, anchors: [])
        request.settings = [try settings("root", [])]
        #expect(try !TrustEvaluator.evaluate(request).isTrusted, "given anchors only")
        request.usesSystemAnchors = true
        #expect(try TrustEvaluator.evaluate(request).result == .proceed)
    }

    @Test("an issuer is an anchor as if it were a root")
    func issuer() throws {
        #expect(try defects(["server"], [settings("issuer", [rule(.trustAsRoot)])]).isEmpty)
        #expect(try defects(["server"], [settings("server", [rule(.trustAsRoot)])]).isEmpty)
        #expect(throws: KeychainError.self) { try settings("issuer", [rule(.trustRoot)]) }
        #expect(throws: KeychainError.self) { try settings("issuer", []) }
        #expect(throws: KeychainError.self) { try settings("root", [rule(.trustAsRoot)]) }
    }

    @Test(
        "a server under a root of settings need not name its purpose",
        arguments: ["no purpose", "any purpose", "gated", "first without purpose", "server"]
    )
    func purposes(_ name: String) throws {
        let names = [name, "issuer"]
        let trusted = try settings("root", [])
        #expect(try defects(of: names, policy: Self.host, settings: [trusted]).isEmpty)
        #expect(
            try defects(of: ["client", "issuer"], policy: .tls(isServer: true, host: nil), settings: [trusted]) == [
                .purpose
            ]
        )
        // The same root, given by a program.
        let given = try TrustEvaluator.evaluate(Samples.request(names, [Self.host]))
        #expect(given.findings.map(\.defect) == (name == "server" ? [] : [.purpose]))
    }

    @Test("trust holds for its policy, and for its host")
    func limits() throws {
        let names = ["server", "issuer"]
        let forServers = try settings("root", [rule(.trustRoot, .tls(isServer: true, host: nil))])
        #expect(try defects(of: names, policy: Self.host, settings: [forServers]).isEmpty)
        #expect(try defects(of: names, policy: .basicX509, settings: [forServers]) == [.untrusted])
        #expect(
            try defects(of: ["client", "issuer"], policy: .tls(isServer: false, host: nil), settings: [forServers]) == [
                .untrusted
            ]
        )
        let forHost = try settings(
            "root",
            [rule(.trustRoot, .tls(isServer: true, host: nil), string: "WWW.example.com")]
        )
        #expect(try defects(of: names, policy: Self.host, settings: [forHost]).isEmpty)
        #expect(
            try defects(of: names, policy: .tls(isServer: true, host: "a.wild.example.com"), settings: [forHost]) == [
                .untrusted
            ]
        )
        #expect(try defects(of: names, policy: .tls(isServer: true, host: nil), settings: [forHost]) == [.untrusted])
        var ofProgram = rule(.trustRoot)
        ofProgram.application = [1]
        #expect(try defects(names, [settings("root", [ofProgram])]) == [.untrusted])
        var forMail = rule(.trustRoot)
        forMail.keyUsage = 1
        #expect(try defects(names, [settings("root", [forMail])]) == [.untrusted])
    }

    @Test("a denial anywhere in the chain counts, also against an anchor of the same certificate")
    func denial() throws {
        let names = ["server", "issuer"]
        let root = try settings("root", [])
        for name in ["server", "issuer"] {
            #expect(try defects(names, [settings(name, [rule(.deny)]), root]) == [.denied])
        }
        #expect(try defects(names, [settings("root", [rule(.trustRoot), rule(.deny)])]) == [.denied, .untrusted])
        #expect(try defects(names, [settings("root", [rule(.deny)])]) == [.denied, .untrusted])
        var request = try Samples.request(names)
        request.settings = [try settings("root", [rule(.deny)])]
        #expect(try TrustEvaluator.evaluate(request).result == .deny)
        let forHost = try settings("server", [rule(.deny, Self.host, string: "www.Example.com")])
        for host in ["www.example.com", "www.example.com.", "WWW.example.com"] {
            let policy = CertificatePolicy.tls(isServer: true, host: host)
            let defects = try defects(of: names, policy: policy, settings: [forHost, root])
            #expect(defects.contains(.denied), "\(host)")
        }
        let address = CertificatePolicy.tls(isServer: true, host: "[::1]")
        let forAddress = try settings("server", [rule(.deny, address, string: "0:0::1")])
        #expect(try defects(of: names, policy: address, settings: [forAddress, root]).contains(.denied))
        let forMail = try settings("server", [rule(.deny, .purpose(.emailProtection, isServer: true, name: nil))])
        #expect(try defects(names, [forMail, root]).isEmpty)
    }

    @Test("the settings that come first decide, and those that say nothing leave it to the next")
    func order() throws {
        let (trust, deny) = (try settings("root", []), try settings("root", [rule(.deny)]))
        #expect(try defects(["server", "issuer"], [trust, deny]).isEmpty)
        #expect(try defects(["server", "issuer"], [deny, trust]).contains(.denied))
        #expect(try defects(["server", "issuer"], [settings("root", [rule(.unspecified)]), trust]).isEmpty)
    }

    @Test("an error that is allowed is passed over")
    func allowedErrors() throws {
        let root = try settings("root", [])
        let expired = try settings("expired", [rule(.unspecified, error: OlderErrorCode.expired)])
        #expect(try defects(["expired", "issuer"], [expired, root]).isEmpty)
        let host = try settings("root", [rule(.trustRoot, error: OlderErrorCode.hostName)])
        #expect(
            try defects(of: ["server", "issuer"], policy: .tls(isServer: true, host: "x.example"), settings: [host])
                .isEmpty
        )
        #expect(try defects(["expired", "issuer"], [host]) == [.expired])
    }

    @Test("settings survive their file, and are in the form of macOS")
    func file() throws {
        let rules = [rule(.trustRoot, Self.host, string: "a.example", error: -5), rule(.deny)]
        let settings = try self.settings("root", rules)
        #expect(try TrustSettings(propertyList: settings.propertyList) == settings)
        let list = try PropertyListSerialization.propertyList(from: settings.propertyList, format: nil)
        let members = try #require(list as? [String: Any])
        #expect(members["trustVersion"] as? Int == 1)
        let root = try Samples.certificate("root")
        let entries = try #require(members["trustList"] as? [String: [String: Any]])
        let entry = try #require(entries[TrustSettings.key(of: root.der)])
        #expect(entry["serialNumber"] as? Data == Data(root.serialNumber))
        #expect((entry["trustSettings"] as? [[String: Any]])?.count == 2)
        #expect(String(decoding: settings.propertyList, as: UTF8.self).hasPrefix("<?xml"))
    }

    @Test("settings without the certificate count for one that is shown, and for no other")
    func withoutCertificate() throws {
        var settings = try self.settings("root", [])
        let key = TrustSettings.key(of: try Samples.bytes("root"))
        settings.entries[key]?.certificate = nil
        let read = try TrustSettings(propertyList: settings.propertyList)
        #expect(try defects(["server", "issuer"], [read]) == [.untrusted])
        #expect(try defects(["server", "issuer", "root"], [read]).isEmpty)
        settings.entries[key]?.serialNumber = [1]
        #expect(try defects(["server", "issuer", "root"], [settings]) == [.untrusted])
        #expect(read.replacing(try self.settings("root", [])).entries[key]?.certificate != nil)
    }

    @Test(
        "what are no settings is refused",
        arguments: [
            "", "x", "bplist00", "<plist></plist>", "<plist><array/></plist>",
            "<plist><dict><key>trustVersion</key><integer>2</integer><key>trustList</key><dict/></dict></plist>",
            "<plist><dict><key>trustVersion</key><integer>1</integer></dict></plist>",
            "<plist><dict><key>trustVersion</key><integer>1</integer><key>trustList</key><dict><key>A</key><dict/>"
                + "</dict></dict></plist>",
            String(repeating: "<array>", count: 200_000),
            String(repeating: "<dict><key>a</key>", count: 100_000),
        ]
    )
    func malformed(_ text: String) {
        #expect(throws: KeychainError.self) { try TrustSettings(propertyList: Data(text.utf8)) }
    }

    @Test("a list with two entries for one certificate, one under its key in small letters, is refused")
    func twoEntries() throws {
        var settings = try self.settings("root", [])
        let (key, entry) = try #require(settings.entries.first)
        #expect(throws: Never.self) { try TrustSettings(propertyList: settings.propertyList) }
        settings.entries[key.lowercased()] = entry
        #expect(throws: KeychainError.self) { try TrustSettings(propertyList: settings.propertyList) }
    }

    @Test("a list with an integer that is no UTF-8 is refused", arguments: [[0xFF], [0xC3], [0x80, 0x31]])
    func encoding(_ bytes: [UInt8]) {
        let version = Data("<plist><dict><key>trustVersion</key><integer>".utf8)
        let rest = Data("</integer><key>trustList</key><dict/></dict></plist>".utf8)
        #expect(throws: Never.self) { try TrustSettings(propertyList: version + Data("1".utf8) + rest) }
        #expect(throws: KeychainError.self) { try TrustSettings(propertyList: version + Data(bytes) + rest) }
        #expect(TrustExceptions(encoding: version + Data(bytes) + rest) == nil)
    }

    @Test("the user's settings are kept in a private file, the administrator's are not anybody's to change")
    func store() throws {
        let folder = try TemporaryFolder(prefix: "trust")
        let location = KeychainLocation(path: folder.path(of: "keychain"))
        let store = TrustSettingsStore.files(user: location, adminFolder: folder.path(of: "admin"))
        #expect(try store.settings(.user).entries.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: location.path), "reading makes nothing")
        let root = try Samples.certificate("root")
        let date = try Samples.date("2026-01-01")
        try store.change(.user) { (settings) throws(KeychainError) in try settings.set([], for: root, at: date) }
        let other = TrustSettingsStore.files(user: location, adminFolder: folder.path(of: "admin"))
        #expect(try other.settings(.user).certificates == [root])
        let path = "\(location.path)/\(TrustSettingsStore.fileName)"
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try Data("x".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: KeychainError.self) { try other.settings(.user) }
        #expect(throws: KeychainError.self) { try other.all() }
    }

    @Test("the administrator's settings count only if nobody else could change them", .enabled(if: geteuid() == 0))
    func administrator() throws {
        let folder = try TemporaryFolder(prefix: "trust")
        let store = TrustSettingsStore.files(user: nil, adminFolder: folder.path(of: "admin"))
        let root = try Samples.certificate("root")
        let date = try Samples.date("2026-01-01")
        try store.change(.admin) { (settings) throws(KeychainError) in try settings.set([], for: root, at: date) }
        #expect(try store.all().flatMap(\.certificates) == [root])
        let path = folder.path(of: "admin/\(TrustSettingsStore.fileName)")
        #expect(chmod(path, 0o666) == 0)
        #expect(throws: KeychainError.self) { try store.all() }
        #expect(throws: KeychainError.self) { try store.change(.user) { _ in } }
    }

    @Test("An environment that names no usable folder fails every evaluation; a user without a home has no settings")
    func unusableLocation() throws {
        let folder = try TemporaryFolder(prefix: "trust")
        func store(_ home: String?) -> TrustSettingsStore {
            TrustSettingsStore(
                environment: { $0 == KeychainLocation.environmentVariable ? home : nil },
                homeOfUser: { nil },
                adminFolder: folder.path(of: "admin")
            )
        }
        #expect(try store(nil).all().allSatisfy(\.entries.isEmpty))
        let wrong = store("relative/folder")
        let judge = SystemTrust(settings: wrong)
        let root = try Samples.certificate("root")
        for call in [
            { _ = try wrong.all() }, { try wrong.change(.user) { _ in } },
            { _ = try judge.trusts(root.der, others: [], for: .basicX509, at: .referenceDate) },
        ] as [() throws -> Void] {
            let error = #expect(throws: KeychainError.self) { try call() }
            #expect(error?.reason.contains("relative/folder") ?? false, "the error names what is wrong")
        }
    }

    @Test("A user database that cannot be read fails every evaluation")
    func unreadableUserDatabase() throws {
        let folder = try TemporaryFolder(prefix: "trust")
        let store = TrustSettingsStore(
            environment: { _ in nil },
            homeOfUser: { () throws(FileError) in throw .system(call: "getpwuid_r", path: "user 1", errno: EIO) },
            adminFolder: folder.path(of: "admin")
        )
        let error = #expect(throws: KeychainError.self) { _ = try store.all() }
        #expect(error?.reason.contains("getpwuid_r") ?? false)
    }

    @Test("What is wrong with a file is said with its path")
    func damagedFile() throws {
        let folder = try TemporaryFolder(prefix: "trust")
        let location = KeychainLocation(path: folder.path(of: "keychain"))
        let store = TrustSettingsStore.files(user: location, adminFolder: folder.path(of: "admin"))
        try store.change(.user) { _ in }
        let path = "\(location.path)/\(TrustSettingsStore.fileName)"
        try Data("x".utf8).write(to: URL(fileURLWithPath: path))
        let damage = #expect(throws: KeychainError.self) { try store.all() }
        #expect(damage?.status == Status(rawValue: -25262))
        #expect(damage?.reason.contains(path) ?? false)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
        let link = #expect(throws: KeychainError.self) { try store.all() }
        #expect(link?.reason.contains(path) ?? false)
    }

    enum Place: Sendable, CaseIterable {
        case memory, user, admin
    }

    @Test("Changes take turns, and none is lost", arguments: Place.allCases.filter { $0 != .admin || geteuid() == 0 })
    func concurrentChanges(_ place: Place) throws {
        let folder = try TemporaryFolder(prefix: "trust")
        let location = KeychainLocation(path: folder.path(of: "keychain"))
        func files() -> TrustSettingsStore { .files(user: location, adminFolder: folder.path(of: "admin")) }
        // Two objects over the same files stand for two programs.
        let stores = place == .memory ? [TrustSettingsStore.inMemory()] : [files(), files()]
        let domain: TrustSettingsStore.Domain = place == .admin ? .admin : .user
        let date = try Samples.date("2026-01-01")
        let certificates = Samples.all.values.compactMap { try? Certificate(der: $0) }
        let count = certificates.count
        try #require(count > 20)
        let inside = Atomic<Int>(0)
        let failures = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: count) { number in
            do {
                try stores[number % stores.count].change(domain) { (settings) throws(KeychainError) in
                    if inside.add(1, ordering: .relaxed).oldValue > 0 { failures.add(1, ordering: .relaxed) }
                    sched_yield()
                    let certificate = certificates[number]
                    let key = TrustSettings.key(of: certificate.der)
                    settings.entries[key] = TrustSettings.Entry(certificate, [], modified: date)
                    inside.subtract(1, ordering: .relaxed)
                }
            } catch {
                failures.add(1, ordering: .relaxed)
            }
        }
        #expect(failures.load(ordering: .relaxed) == 0, "two changes at once, or one that failed")
        #expect(try stores[0].settings(domain).entries.count == count)
    }

    @Test("The user's settings come first, unless the administrator forbids them", .enabled(if: geteuid() == 0))
    func domains() throws {
        let folder = try TemporaryFolder(prefix: "trust")
        let location = KeychainLocation(path: folder.path(of: "keychain"))
        let admin = folder.path(of: "admin")
        let store = TrustSettingsStore.files(user: location, adminFolder: admin)
        let (root, other) = (try Samples.certificate("root"), try Samples.certificate("other root"))
        let date = try Samples.date("2026-01-01")
        try store.change(.user) { (settings) throws(KeychainError) in try settings.set([], for: root, at: date) }
        try store.change(.admin) { (settings) throws(KeychainError) in try settings.set([], for: other, at: date) }
        #expect(try store.all().map(\.certificates) == [[root], [other]])
        try store.enableUserSettings(false)
        #expect(try store.all().map(\.certificates) == [[other]])
        // Nobody but root forbids it.
        let mark = "\(admin)/user-trust-settings.disabled"
        #expect(chown(mark, 12_345, 12_345) == 0)
        #expect(try store.all().count == 2)
        #expect(chown(mark, 0, 0) == 0)
        try store.enableUserSettings(true)
        #expect(try store.all().count == 2)
        // Nor does anybody else set anything for all.
        #expect(chown("\(admin)/\(TrustSettingsStore.fileName)", 12_345, 12_345) == 0)
        let error = #expect(throws: KeychainError.self) { try store.all() }
        #expect(error?.reason.contains(admin) ?? false)
    }
}
