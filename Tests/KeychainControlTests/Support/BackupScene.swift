// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainFiles
import KeychainHost
import KeychainProtection
import KeychainTestSupport

@testable import KeychainControl

/// A keychain in a folder, a home folder with keychain files, and `keychainctl backup` on both.
struct BackupScene {
    let folder: TemporaryFolder
    var control: Control

    static let secret = "of the backup"

    init() throws {
        folder = try TemporaryFolder()
        control = Control(Self.keychain(folder.path(of: "keychain")))
        control.home = folder.path(of: "home")
        try FileManager.default.createDirectory(atPath: control.home, withIntermediateDirectories: false)
    }

    static func keychain(_ path: String) -> EmbeddedKeychain {
        var device = DeviceOptions()
        device.passwordWork = .minimum
        return EmbeddedKeychain(at: KeychainLocation(path: path), device: device)
    }

    /// The same backup folder and another keychain and home.
    func other(_ name: String) throws -> BackupScene {
        var scene = self
        scene.control = Control(Self.keychain(folder.path(of: "\(name) keychain")))
        scene.control.home = folder.path(of: "\(name) home")
        try FileManager.default.createDirectory(atPath: scene.control.home, withIntermediateDirectories: false)
        return scene
    }

    var backup: String { folder.path(of: "backup") }

    func add(_ account: String, _ secret: String, service: String = "svc", group: String? = nil) throws {
        var item: PropertyDictionary = [
            "class": .string("genp"), "svce": .string(service), "acct": .string(account),
            PropertyKey.valueData: .data(SecretBytes(Array(secret.utf8))),
        ]
        item["agrp"] = group.map { .string($0) }
        _ = try control.keychain.perform(KeychainRequest(.add(item), client: .person))
    }

    func secret(_ account: String) -> String? {
        let query: PropertyDictionary = [
            "class": .string("genp"), "svce": .string("svc"), "acct": .string(account),
            PropertyKey.returnData: .boolean(true),
        ]
        let answer = try? control.keychain.perform(KeychainRequest(.copyMatching(query), client: .person))
        guard case .single(.data(let secret))? = answer else { return nil }
        return String(decoding: secret.unprotectedCopy, as: UTF8.self)
    }

    /// Makes a keychain file in the home folder, and returns its path.
    @discardableResult
    func makeFile(_ name: String = "login.keychain-db") throws -> String {
        let path = name.hasPrefix("/") ? name : "\(control.home)/Library/Keychains/\(name)"
        _ = try KeychainFiles.forTesting().perform(
            .files(.keychain(path: path, .create(password: SecretBytes(Array("password".utf8)))))
        )
        return path
    }

    /// Runs `keychainctl backup` with the secret on standard input.
    func run(_ words: [String], input: String = "\(secret)\n") throws -> Control.Outcome {
        var control = control
        control.input = input
        return try control.run(["backup"] + words)
    }

    func create(_ more: [String] = []) throws -> Control.Outcome {
        try run(["create", "--secret-stdin"] + more + [backup])
    }

    func restore(_ more: [String] = []) throws -> Control.Outcome {
        try run(["restore", "--secret-stdin"] + more + [backup])
    }

    func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    func object(_ outcome: Control.Outcome) throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any] else {
            throw Control.Failure()
        }
        return object
    }
}
