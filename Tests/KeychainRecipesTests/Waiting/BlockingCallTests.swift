// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("What blocks does not compile in asynchronous code")
struct BlockingCallTests {
    /// Asynchronous code; the compiler has to refuse the lines that are marked, and no others.
    private static let source = """
        import CryptoKit
        import Foundation
        import Keychain
        import KeychainRecipes

        func service(_ logins: ServiceKeychain, _ cached: String?) async throws {
            _ = try logins["ada"] // refused
            _ = try logins[data: "ada"] // refused
            try logins.set("t0ken", for: "ada") // refused
            _ = try logins.value(String.self, for: "ada") // refused
            _ = try cached ?? logins.value(String.self, for: "ada") // refused
            _ = try logins.contains("ada") // refused
            _ = try logins.accounts() // refused
            try logins.delete("ada") // refused
            try logins.deleteAll() // refused
            try await logins.set("t0ken", for: "ada")
            _ = try await logins.value(String.self, for: "ada")
            _ = try await logins.accounts()
            try await logins.deleteAll()
            _ = try logins.blocking { logins in try logins["ada"] ?? logins.value(String.self, for: "bob") }
        }

        func item(keychain: any KeychainProtocol, item: GenericPassword, protection: Protection) async throws {
            _ = try keychain.string(for: item) // refused
            try keychain.set("t0ken", for: item, protection: protection) // refused
            _ = try keychain.itemContents(of: item, authentication: .forbidden) // refused
            _ = try keychain.deleteItem(item) // refused
            try await keychain.set("t0ken", for: item, protection: protection)
            try keychain.blocking { keychain in try keychain.set("t0ken", for: item, protection: protection) }
        }

        func migrations(
            secret: SecretMigration, items: ProtectionMigration, groups: AccessGroupMove,
            detector: InstallationDetector, keychain: any KeychainProtocol
        ) async throws {
            try secret.run() // refused
            try items.run([]) // refused
            try items.run(matching: .all(ofService: "com.example.app")) // refused
            try groups.run([]) // refused
            _ = try detector.detect() // refused
            try detector.mark() // refused
            try detector.deleteLeftovers(matching: .all(ofService: "com.example.app")) // refused
            try await secret.run()
            try await items.run(matching: .all(ofService: "com.example.app"))
            try await groups.run([])
            try await detector.mark()
            try keychain.blocking { _ in try secret.run() }
        }

        func keys(store: DeviceKeyStore, protection: Protection, other: P256.KeyAgreement.PublicKey) async throws {
            _ = try store.signingKey(named: "device") // refused
            _ = try store.makeSigningKey(named: "device", protection: protection, fallback: .refuse) // refused
            _ = try store.agreementKey(named: "device") // refused
            _ = try store.makeAgreementKey(named: "device", protection: protection, fallback: .refuse) // refused
            try store.deleteKey(named: "device") // refused
            let stored = try await store.signingKey(named: "device")
            _ = try stored ?? store.makeSigningKey(named: "device", protection: protection, fallback: .refuse) // refused
            _ = try stored?.signature(for: Data()) // refused
            _ = try stored?.makeSignature(for: Data()) // refused
            _ = try await stored?.signature(for: Data())
            let agreement = try await store.agreementKey(named: "device")
            _ = try agreement?.sharedSecret(with: other) // refused
            _ = try await agreement?.sharedSecret(with: other)
        }
        """

    @Test("by a keychain, by that of a service, and by each recipe")
    func refused() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("Calls.swift")
        try Self.source.write(to: file, atomically: true, encoding: .utf8)
        let output = try Self.check(file, cache: folder)
        let expected = Self.source.components(separatedBy: "\n").enumerated()
            .filter { $0.element.hasSuffix("// refused") }.map { $0.offset + 1 }
        let refused = Set(
            output.components(separatedBy: "\n").compactMap { line in
                line.hasPrefix("\(file.path):") && line.contains(": error: ")
                    ? line.dropFirst(file.path.count + 1).split(separator: ":").first.flatMap { Int($0) } : nil
            }
        )
        #expect(refused.sorted() == expected, "\(output)")
    }

    /// What the compiler says of a file that uses the modules of this build.
    private static func check(_ file: URL, cache: URL) throws -> String {
        let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let sources = #filePath.components(separatedBy: "/Tests/KeychainRecipesTests/")[0] + "/Sources"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["swiftc", "-typecheck", "-swift-version", "6", "-module-cache-path", cache.path]
            + ["-I", products.appendingPathComponent("Modules").path]
            + ["-Xcc", "-fmodule-map-file=\(products.path)/CKeychainSupport.build/module.modulemap"]
            + ["-I", "\(sources)/Host/CSQLite", "-I", "\(sources)/API/CUnfairLock/include", file.path]
        let output = Pipe()
        process.standardError = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
