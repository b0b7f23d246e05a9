// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainServices
import Security
import Testing

@testable import KeychainRecipes

#if canImport(Glibc)
import Glibc
#endif

/// A migration in a process of its own, into a keychain in files, that is killed at one of its steps.
@Suite("Killed while moving a secret into the keychain") struct KilledMigrationTests {
    /// Where the secret is, and at which step the process is killed.
    static let cases = ["file", "list", "defaults"].flatMap { kind in (1...13).map { (kind, $0) } }

    @Test("leaves the secret whole in one place, and the next run finishes", arguments: cases)
    func killed(kind: String, step: Int) async throws {
        let place = try TemporaryPlace()
        let folder = place.folder.path
        let scene = Scene(kind: kind, folder: folder)
        defer { scene.clean() }
        try scene.prepare()
        let status = await #expect(processExitsWith: .failure) {
            [kind = kind as String, folder = folder as String, step = step as Int] in
            let steps = Steps(killsAt: step)
            try Scene(kind: kind, folder: folder).migrate(steps)
            // Not killed: there are not that many steps.
            exit(7)
        }
        let exitStatus = try #require(status?.exitStatus)
        // Taking a key out of a list has one step more.
        let steps = kind == "list" ? 12 : 11
        #expect(exitStatus == (step <= steps ? .signal(SIGKILL) : .exitCode(7)))

        let inKeychain = try scene.inKeychain()
        let outside = try scene.source.read()
        #expect(inKeychain == .secret || outside == .secret)
        #expect(inKeychain == nil || inKeychain == .secret)
        #expect(outside == nil || outside == .secret)
        try scene.migrate(nil)
        #expect(try scene.inKeychain() == .secret)
        #expect(try scene.source.read() == nil)
        if kind == "list" { #expect(try scene.otherValue() == "stays") }
        #expect(place.names.filter { $0.hasSuffix(".migrating") }.isEmpty)
    }
}

/// Counts steps, and kills the process at one of them.
final class Steps: @unchecked Sendable {
    // Only the thread of the migration counts.
    private var rest: Int

    init(killsAt step: Int) { rest = step }

    func pass() {
        rest -= 1
        if rest == 0 { kill(getpid(), SIGKILL) }
    }
}

private struct Scene {
    let kind: String
    let folder: String
    private let item = GenericPassword(service: "com.example.app", account: "token")

    init(kind: String, folder: String) {
        self.kind = kind
        self.folder = folder
    }

    private var url: URL { URL(fileURLWithPath: folder).appendingPathComponent(kind) }
    private var suite: String { "recipes-" + url.deletingLastPathComponent().lastPathComponent }

    var source: any SecretSource {
        switch kind {
        case "file": FileSecret(url)
        case "list": PropertyListSecret(url, key: "token")
        default: UserDefaultsSecret(key: "token", suite: suite)
        }
    }

    func prepare() throws {
        switch kind {
        case "file": try Data.secret.write(to: url)
        case "list":
            let list = ["token": "s3cret", "other": "stays"]
            try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0).write(to: url)
        default:
            let defaults = try #require(UserDefaults(suiteName: suite))
            defaults.set("s3cret", forKey: "token")
            defaults.synchronize()
        }
    }

    func clean() { if kind == "defaults" { UserDefaults().removePersistentDomain(forName: suite) } }

    func otherValue() throws -> String? {
        let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: url), options: [], format: nil)
        return (list as? [String: Any])?["other"] as? String
    }

    private func inContext<Result>(_ steps: Steps? = nil, _ body: () throws -> Result) rethrows -> Result {
        let location = KeychainLocation(path: folder + "/keychain")
        let context = KeychainContext(
            backend: SteppedKeychain(keychain: EmbeddedKeychain(at: location), steps: steps),
            client: Client(accessGroups: ["TEAMID1234.com.example.app"])
        )
        return try KeychainContext.$current.withValue(context, operation: body)
    }

    func inKeychain() throws -> Data? { try inContext { try SystemKeychain().data(for: item) } }

    func migrate(_ steps: Steps?) throws {
        try inContext(steps) {
            try Checkpoint.$observer.withValue({ _ in steps?.pass() }) {
                _ = try SecretMigration(
                    from: SteppedSource(source: source, steps: steps),
                    to: item,
                    protection: .accessible(.afterFirstUnlockThisDeviceOnly),
                    in: SystemKeychain()
                ).run()
            }
        }
    }
}

/// A keychain that outlives the process, as that of no virtual device does.
private struct SteppedKeychain: KeychainBackend {
    let keychain: EmbeddedKeychain
    let steps: Steps?

    var identity: ObjectIdentifier { keychain.identity }

    var families: CommandFamily { .all }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        guard case .items = command else { return try keychain.perform(command) }
        steps?.pass()
        defer { steps?.pass() }
        return try keychain.perform(command)
    }
}

private struct SteppedSource: SecretSource {
    let source: any SecretSource
    let steps: Steps?

    var name: String { source.name }

    func read() throws(SecretSourceError) -> Data? {
        steps?.pass()
        return try source.read()
    }

    func remove(_ secret: Data) throws(SecretSourceError) {
        steps?.pass()
        try source.remove(secret)
        steps?.pass()
    }
}
