// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainTestSupport

@testable import KeychainControl

/// A keychain in memory, and the commands for items on it; what they write goes to a file.
struct ItemScene {
    let folder: TemporaryFolder
    var control = Control(EmbeddedKeychain.inMemory(device: .withNegligibleWork))

    init() throws { folder = try TemporaryFolder() }

    /// What a command did, and the bytes that it wrote to its standard output besides lines.
    struct Outcome {
        let status: Int32
        let bytes: Data
        let output: String
        let remarks: String
        let error: String

        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    func run(_ words: String..., input: String = "") throws -> Outcome { try run(words, input: input) }

    func run(_ words: [String], input: String = "") throws -> Outcome {
        let path = folder.path(of: UUID().uuidString)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        var control = control
        control.input = input
        control.standardOutput = descriptor
        let outcome = try control.run(words)
        return Outcome(
            status: outcome.status,
            bytes: FileManager.default.contents(atPath: path) ?? Data(),
            output: outcome.output,
            remarks: outcome.remarks,
            error: outcome.error
        )
    }

    /// Stores a password with attributes that no command sets.
    func add(_ itemClass: ItemClass, _ attributes: [String: PropertyValue], secret: String = "secret") throws {
        var item = PropertyDictionary(attributes)
        item[PropertyKey.itemClass] = .string(itemClass.rawValue)
        item[PropertyKey.valueData] = .data(SecretBytes(Array(secret.utf8)))
        _ = try control.keychain.perform(KeychainRequest(.add(item), client: .person))
    }

    /// The surroundings of commands that somebody uses at length; nobody is asked.
    var surroundings: Surroundings {
        var surroundings = Surroundings(
            keychain: control.keychain,
            offerUnlock: { (_) throws(KeychainError) in nil },
            authenticator: NoAuthenticator()
        )
        surroundings.environment = { _ in nil }
        return surroundings
    }

    func lock() throws {
        try control.keychain.device.setPasscode(SecretBytes(Array("1234".utf8)))
        try control.keychain.device.lock()
    }
}
