// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import KeychainWire
import Synchronization
import Testing

@testable import KeychainControl

/// What the tools tell the system service about a move.
struct MoveSessionTests {
    @Test("a service of an earlier version, which does not know the messages, has to be restarted")
    func earlierVersion() {
        let service = FakeKeychain(maintenance: { (_) throws(KeychainError) in
            throw KeychainError(WireError.unknownCase)
        })
        let refusal = #expect(throws: KeychainError.self) { try MoveSession(with: service) }
        #expect(refusal?.reason.contains("restart swift-keychain") == true)
        #expect(throws: KeychainError.self) { try service.moveStatus() }
    }

    @Test("every step names the move that was begun, and no two moves have the same name")
    func identifiers() throws {
        let steps = Mutex<[StoreMove]>([])
        let service = FakeKeychain(maintenance: { (command) throws(KeychainError) in
            guard case .move(let step) = command else { throw KeychainError(.parameter, "not of a move") }
            steps.withLock { $0.append(step) }
            if case .begin = step { return .moveStatus(MoveStatus()) }
            return .done
        })
        for _ in 0..<2 { try MoveSession(with: service).perform(.activate) }
        let identifiers = steps.withLock(\.self).map { step -> Bytes16? in
            switch step {
            case .begin(let identifier), .step(_, of: let identifier): identifier
            case .status: nil
            }
        }
        #expect(identifiers.count == 4)
        #expect(identifiers[0] == identifiers[1] && identifiers[2] == identifiers[3])
        #expect(identifiers[0] != identifiers[2])
    }
}
