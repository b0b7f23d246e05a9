// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainProtection
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainFiles

/// The time after which a keychain file locks by itself, and what defers it.
struct FileIdlenessTests {
    private final class Clock: HostClock {
        private let seconds = Mutex(100.0)

        var now: HostTime {
            HostTime(bootIdentifier: "boot", secondsSinceBoot: seconds.withLock(\.self), date: .referenceDate)
        }

        func advance(by more: Double) { seconds.withLock { $0 += more } }
    }

    private static let secret = SecretBytes(Array("secret".utf8))
    private static let wrong = SecretBytes(Array("wrong".utf8))

    private let folder: TemporaryFolder
    private let path: String
    private let clock = Clock()
    private let service: KeychainFileService
    private let item: KeychainFileItem

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "test.keychain")
        var device = DeviceOptions()
        (device.passwordWork, device.hostClock) = (.testing, clock)
        service = KeychainFiles(device: device).files
        try service.create(at: path, password: Self.secret)
        item = try service.add(
            .genericPassword,
            attributes: ["acct": .string("ada")],
            secret: Self.secret,
            access: ItemAccess(descriptor: "test", trustedApplications: nil),
            at: path
        )
        try service.setSettings(KeychainFileSettings(locksOnSleep: false, lockInterval: 60), at: path)
    }

    @Test("reading and changing an item restarts the time")
    func use() throws {
        for round in 0..<3 {
            clock.advance(by: 59)
            #expect(try service.secret(of: item.identifier, at: path) == Self.secret)
            clock.advance(by: 59)
            try service.update(item.identifier, .init(attributes: ["icmt": .string("\(round)")]), at: path)
        }
        clock.advance(by: 60)
        #expect(try service.status(at: path).isLocked)
    }

    @Test("what works in a locked keychain as well, fails or finds nothing does not")
    func fruitless() throws {
        for _ in 0..<2 {
            clock.advance(by: 30)
            #expect(try service.items(at: path) == [item])
            #expect(try service.items(FileItemConditions(.internetPassword), at: path).isEmpty)
            #expect(try service.details(at: path).created != nil)
            #expect(throws: KeychainError.self) { try service.secret(of: .random(), at: path) }
            #expect(throws: KeychainError.self) { try service.remove(.random(), at: path) }
            #expect(throws: KeychainError.self) { try service.unlock(at: path, password: Self.wrong) }
            let nothing = try service.perform(.search(LookupAttributes([.init("a", "b")])), at: path)
            #expect(nothing == .lookupMatches([]))
            _ = try service.status(at: path)
        }
        #expect(try service.status(at: path).isLocked)
    }
}
