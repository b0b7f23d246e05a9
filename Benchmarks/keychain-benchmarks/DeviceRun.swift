// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import Security

/// What an unlock costs, and what a locked device's answer costs beside the secret itself.
struct DeviceRun {
    let size: Int
    let rounds: Int
    let scratch: Scratch

    private static let passcode = SecretBytes(Array("1234".utf8))
    private static let client = Client(accessGroups: EngineSubject.groups)
    private static let readsInATurn = 100

    func run(_ report: inout Report) throws {
        let folder = scratch.path(SecItemSubject.homeName)
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: folder), device: DeviceOptions())
        print(Report.deviceHeading(size: size, rounds: rounds))
        try fill(keychain)
        try keychain.device.setPasscode(Self.passcode)
        try unlock(keychain, in: folder, into: &report)
        try keychain.device.lock()
        try lockedAnswer(keychain, &report)
    }

    /// Items that a lock takes away, and as many that it does not.
    private func fill(_ keychain: EmbeddedKeychain) throws {
        for number in 0..<size {
            let item = Item(number: number)
            let attributes: PropertyDictionary = [
                "class": .string("genp"), "svce": .string(item.service), "acct": .string(item.account),
                "v_Data": .data(SecretBytes(item.secret)), "pdmn": .string(number.isMultiple(of: 2) ? "ak" : "dk"),
            ]
            _ = try keychain.perform(KeychainRequest(.add(attributes), client: Self.client))
        }
    }

    /// The whole, and all of it but the derivation: the same with a derivation that is no work.
    private func unlock(_ keychain: EmbeddedKeychain, in folder: String, into report: inout Report) throws {
        let whole = try time(keychain)
        let quick = EmbeddedKeychain(at: KeychainLocation(path: folder), device: .withNegligibleWork)
        try quick.device.changePasscode(from: Self.passcode, to: Self.passcode)
        let rest = try time(quick)
        print(report.unlock(size, whole: whole, rest: rest))
    }

    /// The median time of an unlock of a locked device, in nanoseconds.
    private func time(_ keychain: EmbeddedKeychain) throws -> Double {
        let times = try (0..<rounds).map { _ in
            try keychain.device.lock()
            let start = Clock.wall.now
            try keychain.device.unlock(passcode: Self.passcode)
            return Clock.wall.now - start
        }
        return Samples.median(times)
    }

    private func lockedAnswer(_ keychain: EmbeddedKeychain, _ report: inout Report) throws {
        for (name, read) in [("engine", readByEngine(keychain)), ("SecItem", readBySecItem)] {
            var ratios: [Double] = []
            for round in -1..<rounds {
                let (open, locked) = (
                    try measureReads(1, expecting: errSecSuccess, by: read),
                    try measureReads(0, expecting: errSecInteractionNotAllowed, by: read)
                )
                if round >= 0 { ratios.append(locked / open) }
            }
            print(report.lockedAnswer(atSize: size, of: name, ratio: Samples.median(ratios)))
        }
    }

    /// The processor's time of some reads of items whose number is even or odd, in nanoseconds.
    private func measureReads(
        _ remainder: Int,
        expecting expected: OSStatus,
        by read: (Item) -> OSStatus
    ) throws -> Double {
        let items = (0..<Self.readsInATurn).map { _ in
            Item(number: Int.random(in: 0..<size / 2) * 2 + remainder)
        }
        let start = Clock.processor.now
        for item in items {
            guard read(item) == expected else { throw Failure("an item answered something else") }
        }
        return Clock.processor.now - start
    }

    private func readByEngine(_ keychain: EmbeddedKeychain) -> (Item) -> OSStatus {
        { item in
            let query: PropertyDictionary = [
                "class": .string("genp"), "svce": .string(item.service), "acct": .string(item.account),
                "r_Data": .boolean(true),
            ]
            do throws(KeychainError) {
                _ = try keychain.perform(KeychainRequest(.copyMatching(query), client: Self.client))
                return errSecSuccess
            } catch {
                return error.status.rawValue
            }
        }
    }

    private func readBySecItem(_ item: Item) -> OSStatus {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: item.service, kSecAttrAccount: item.account,
            kSecReturnData: true,
        ]
        var result: CFTypeRef?
        return SecItemCopyMatching(query as CFDictionary, &result)
    }
}
