// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// A store that gets another root key.
protocol RootKeyReplacementScene {
    var store: TestStore { get }
}

extension RootKeyReplacementScene {
    static var passcode: SecretBytes { SecretBytes(Array("1234".utf8)) }

    /// None, and the passcode.
    static var passcodes: [SecretBytes?] { [nil, passcode] }

    /// Every file, but for the lock of whoever tries a passcode.
    var contents: [String: Data] {
        get throws { try store.contents().filter { $0.key != "attempt.lock" } }
    }

    var fileNames: [String] {
        get throws {
            try store.contents().keys.filter { $0.hasPrefix("root") || $0.hasPrefix("replacement") }.sorted()
        }
    }

    func open(_ sources: RootKeySources = RootKeySources(), at store: TestStore? = nil) -> EmbeddedKeychain {
        var device = DeviceOptions()
        device.passwordWork = .minimum
        device.rootKeys = sources
        return EmbeddedKeychain(at: KeychainLocation(path: (store ?? self.store).path), device: device)
    }

    func fill(_ keychain: EmbeddedKeychain, _ passcode: SecretBytes?) throws {
        #expect(keychain.add("always", "secret of always", with: ["pdmn": .string("dku")]) == .done)
        if let passcode {
            try keychain.device.setPasscode(passcode)
            #expect(keychain.add("with passcode", "secret", with: ["pdmn": .string("akpu")]) == .done)
        }
        #expect(keychain.add("anna", "secret of anna") == .done)
    }

    func expectWhole(
        _ keychain: EmbeddedKeychain,
        _ passcode: SecretBytes?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(keychain.secret("always") == .secret("secret of always"), sourceLocation: sourceLocation)
        if let passcode {
            #expect(keychain.secret("anna") == .failed(.interactionNotAllowed), sourceLocation: sourceLocation)
            try keychain.device.unlock(passcode: passcode)
            #expect(keychain.secret("with passcode") == .secret("secret"), sourceLocation: sourceLocation)
        }
        #expect(keychain.secret("anna") == .secret("secret of anna"), sourceLocation: sourceLocation)
        #expect(try keychain.check().isSound, sourceLocation: sourceLocation)
    }
}
