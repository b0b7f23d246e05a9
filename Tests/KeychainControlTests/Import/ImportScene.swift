// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainCore
import KeychainEngine
import KeychainSecretService
import KeychainServer
import KeychainTestSupport
import ServerTestSupport
import Testing

@testable import KeychainControl

/// Another Secret Service on a bus of its own, and the keychain that takes its items.
final class ImportScene: Sendable {
    /// The bus of the other service.
    let bus: PrivateBus
    /// What the other service has.
    let foreign = EmbeddedKeychain.inMemory(device: .withNegligibleWork)
    /// What ends with the session there.
    let memory = EmbeddedKeychain.inMemory(device: .withNegligibleWork)
    /// The keychain that takes the items.
    let own = EmbeddedKeychain.inMemory(device: .withNegligibleWork)
    private let server: TestServer
    private let front: SecretServiceFront

    init() throws {
        bus = try PrivateBus()
        server = try TestServer(foreign)
        let isServing = DispatchSemaphore(value: 0)
        var options = SecretServiceOptions()
        options.stateChanged = { if $0 == .serving { isServing.signal() } }
        options.prompter = { prompt in
            let passcode = SecretBytes(Array("1234".utf8))
            let isUnlocked = (try? prompt.connection.perform(.device(.unlock(passcode)))) != nil
            return isUnlocked ? .done(nil) : .dismissed
        }
        front = SecretServiceFront(
            on: .address(bus.address),
            try #require(server.server),
            admission: AnyProgram(keychain: foreign),
            keychain: foreign,
            memory: memory,
            options: options
        )
        try front.start()
        guard isServing.wait(timeout: .now() + .seconds(120)) == .success else { throw CocoaError(.executableLoad) }
    }

    deinit { front.stop() }

    /// Runs the command.
    func run(_ words: String...) throws -> Control.Outcome {
        try Control(own).run(["import", "secret-service", "--address", bus.address] + words)
    }

    private struct AnyProgram: BusAdmission {
        let keychain: any KeychainBackend

        func admit(_ caller: BusCaller) throws(KeychainError) -> any ConnectedPeer {
            OpenPeer(process: ProcessInstance(identifier: caller.process, startTime: 0), backend: keychain)
        }
    }
}

extension KeychainBackend {
    /// Stores an item as a program of the Secret Service does.
    func store(_ contents: LookupContents) throws {
        _ = try perform(.lookup(LookupRequest(.store(contents, replacing: false), client: .person)))
    }

    /// All items with their secrets, in no order.
    func lookups() throws -> [(item: LookupItem, secret: LookupSecret?)] {
        func ask(_ operation: LookupRequest.Operation) throws -> KeychainReply {
            try perform(.lookup(LookupRequest(operation, client: .person)))
        }
        guard case .lookupMatches(let matches) = try ask(.search(LookupAttributes())),
            case .lookupItems(let items) = try ask(.describe(matches.map(\.identifier))),
            case .lookupSecrets(let secrets) = try ask(.secrets(matches.map(\.identifier)))
        else { throw KeychainError.unexpectedReply }
        return items.map { item in (item, secrets.first { $0.identifier == item.identifier }) }
    }
}

extension LookupContents {
    /// Contents.
    static func item(
        _ label: String,
        _ attributes: LookupAttributes,
        secret: String,
        contentType: String = "text/plain",
        created: Double? = nil
    ) -> LookupContents {
        LookupContents(
            attributes: attributes,
            label: label,
            secret: SecretBytes(Array(secret.utf8)),
            contentType: contentType,
            created: created.map { Timestamp(secondsSinceReferenceDate: $0) },
            modified: created.map { Timestamp(secondsSinceReferenceDate: $0 + 60) }
        )
    }
}
