// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import KeychainHost
import Testing

/// Keys that each version of the sealed form made, kept for ever: every later version uses them all on their device.
struct ReleasedEnclaveTests {
    /// The keys of a fixture: the file that each lies in, and how it was made.
    static let keys: [(file: String, algorithm: EnclaveAlgorithm, level: Accessibility, flags: AccessControlFlags?)] = [
        ("p256.key", .p256, .whenUnlockedThisDeviceOnly, [.privateKeyUsage, .biometryCurrentSet]),
        ("mlkem768.key", .mlKEM768, .always, nil),
        ("mlkem1024.key", .mlKEM1024, .afterFirstUnlock, []),
        ("mldsa65.key", .mlDSA65, .whenPasscodeSetThisDeviceOnly, [.userPresence]),
        ("mldsa87.key", .mlDSA87, .whenUnlocked, [.applicationPassword]),
    ]

    static let passcode = SecretBytes(Array("1234".utf8))
    static let applicationPassword = SecretBytes(Array("of the application".utf8))

    @Test("keys of every version do what they are for", arguments: ["enclave-2"])
    func usesReleasedKeys(_ name: String) throws {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(name)
        func bytes(_ file: String) throws -> [UInt8] {
            Array(try Data(contentsOf: source.appendingPathComponent(file)))
        }
        let store = try TestStore.of(["keychain.db": try bytes("keychain.db"), "root.key": try bytes("root.key")])
        let owner = ScriptedAuthenticator(biometry: .releasedSet) {
            $0.kind == .biometry ? .recognized : .cancelled
        }
        let options = DeviceOptions(authenticator: owner)
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: store.path), device: options)
        for key in Self.keys {
            #expect(try keychain.enclave.key(SecretBytes(bytes(key.file))).algorithm == key.algorithm)
        }
        try keychain.device.unlock(passcode: Self.passcode)
        for key in Self.keys {
            let sealed = SecretBytes(try bytes(key.file))
            guard key.flags.map({ $0.isEmpty || $0.contains(.privateKeyUsage) }) ?? true else {
                // Earlier versions let such a key be used.
                let use: EnclaveOperation = .signMessage([1], context: [])
                let error = #expect(throws: KeychainError.self) { try keychain.enclave.perform(use, with: sealed, nil) }
                #expect(error?.kind == .keys(.operationNotAllowed))
                continue
            }
            try expectUse(of: sealed, keychain.enclave)
        }
    }

    private func expectUse(of sealed: SecretBytes, _ enclave: KeyEnclave) throws {
        let context = AuthenticationContext(applicationPassword: Self.applicationPassword)
        let key = try enclave.key(sealed)
        func use(_ operation: EnclaveOperation) throws -> [UInt8] {
            try enclave.perform(operation, with: sealed, context).unprotectedCopy
        }
        let message = Array("message".utf8)
        switch key.algorithm {
        case .p256:
            let digest = SHA256.hash(data: message)
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: use(.sign(digest: Array(digest))))
            #expect(
                try P256.Signing.PublicKey(x963Representation: key.publicKey).isValidSignature(signature, for: digest)
            )
        case .mlKEM768:
            let result = try MLKEM768.PublicKey(rawRepresentation: key.publicKey).encapsulate()
            #expect(result.sharedSecret == SymmetricKey(data: try use(.decapsulate(Array(result.encapsulated)))))
        case .mlKEM1024:
            let result = try MLKEM1024.PublicKey(rawRepresentation: key.publicKey).encapsulate()
            #expect(result.sharedSecret == SymmetricKey(data: try use(.decapsulate(Array(result.encapsulated)))))
        case .mlDSA65:
            let signature = try use(.signMessage(message, context: []))
            #expect(try MLDSA65.PublicKey(rawRepresentation: key.publicKey).isValidSignature(signature, for: message))
        case .mlDSA87:
            let signature = try use(.signMessage(message, context: []))
            #expect(try MLDSA87.PublicKey(rawRepresentation: key.publicKey).isValidSignature(signature, for: message))
        }
    }
}
