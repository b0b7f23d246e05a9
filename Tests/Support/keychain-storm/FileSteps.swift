// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainRouting

/// Steps on one keychain file beside the folder of the keychain, as any program has it: through its daemon.
struct FileSteps {
    private let files: KeychainFileService
    private let path: String

    private static let password = SecretBytes(Array("correct horse".utf8))

    init(folder: String) {
        let parts = ProcessKeychain.Parts(storeAt: KeychainLocation(path: folder), authenticator: NoAuthenticator())
        files = RoutedKeychain(parts).files
        path = "\(folder).keychain"
    }

    /// Carries out a step, and says what came of it: `file NAME STATUS`, and a reason when it failed.
    func perform(_ name: String) {
        do throws(KeychainError) {
            try perform(step: name)
            Console.write("file \(name) 0")
        } catch {
            Console.write("file \(name) \(error.status.rawValue) \(error.reason)")
        }
    }

    private func perform(step name: String) throws(KeychainError) {
        switch name {
        case "create": try files.create(at: path, password: Self.password)
        case "unlock": try files.unlock(at: path, password: Self.password)
        case "lock": try files.lock(at: path)
        case "add":
            let access = ItemAccess(descriptor: "storm", trustedApplications: nil)
            _ = try files.add(
                .genericPassword,
                attributes: ["acct": .string("storm")],
                secret: Self.password,
                access: access,
                at: path
            )
        case "read":
            guard let item = try files.items(at: path).first else { throw KeychainError(.itemNotFound, "no item") }
            guard try files.secret(of: item.identifier, at: path) == Self.password else {
                throw KeychainError(.decode, "another secret")
            }
        case "list":
            guard try files.items(at: path).count == 1 else { throw KeychainError(.itemNotFound, "not one item") }
        default: throw KeychainError(.parameter, "no step")
        }
    }
}
