// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import KeychainCore
import Testing

@testable import KeychainProtection

/// What is left in memory of keys and secrets after they were used.
struct ResidueTests {
    @Test("the search finds what is there, in each form that it looks for")
    func searchFinds() throws {
        var search = MemorySearch()
        let key = try LockedMemory(keyCapacity: 1).store(.random())
        search.add("key", key)
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: 40, alignment: 1)
        defer {
            copy.wipe()
            copy.deallocate()
        }
        for (pad, form) in [(0, ""), (0x36, " in the inner pad"), (0x5C, " in the outer pad")] as [(UInt8, String)] {
            key.withKey { key in
                key.withUnsafeBytes { for (index, byte) in $0.enumerated() { copy[index + 3] = byte ^ pad } }
            }
            let finds = try #require(search.finds())
            #expect(finds.contains { $0.hasPrefix("key\(form) at") })
            #expect(finds.contains { $0.hasPrefix("key\(form) from byte 16 at") })
        }
        withExtendedLifetime(key) {}
    }

    // In a process of its own: the threads of other tests would take blocks that were freed and not wiped yet.
    @Test("nothing of a key or secret is left when its owner is gone")
    func leavesNothing() async {
        await #expect(processExitsWith: .success) { try ResidueTests.tryEveryUse() }
    }

    /// Of the tries this many may find a key of ML-KEM or ML-DSA, and none anything else.
    ///
    /// Those keys are expanded in blocks that glibc joins with their neighbours, so that now and then one is not found again
    /// (Documentation/ThreatModel.md). Without the wiping that is for them many more find one.
    private static let mostExceptions = 2

    private static func tryEveryUse() throws {
        var exceptions: [String] = []
        for use in Use.allCases {
            for freedBlocks in [0, 7, 30] {
                let finds = try #require(try Self.finds(after: use, freedBlocks))
                #expect(finds.filter { !$0.hasPrefix("private key of ml") } == [], "\(use), \(freedBlocks)")
                if !finds.isEmpty { exceptions.append("\(use), \(freedBlocks)") }
            }
        }
        #expect(exceptions.count <= mostExceptions, "\(exceptions)")
    }

    private static func finds(after use: Use, _ freedBlocks: Int) throws -> [String]? {
        // In a thread of its own, whose stack nobody else has used or will use.
        let outcome = Outcome()
        let thread = Thread {
            outcome.result = Result {
                let search = try Self.search(after: use, freedBlocks)
                return (search.count, search.finds())
            }
            outcome.done.signal()
        }
        thread.stackSize = 1 << 20
        thread.start()
        outcome.done.wait()
        let (count, finds) = try #require(try outcome.result?.get())
        #expect(count > 100, "\(use), \(freedBlocks)")
        return finds
    }

    /// What is done last before the search: later work would cover traces of earlier work.
    enum Use: CaseIterable {
        case rightPasscode
        case wrongPasscode
        case newPasscode
        case newKeychainInMemory
        case rootSlot
        case passcodeSlot
        case metadata
        case secret
        case seal
        case digest
        case handover
        case password
        case secretWithPassword
        case backup
        case restore
        case sign
        case agree
        case decapsulate
        case decapsulateLarge
        case signMessage
        case signMessageLarge

        /// The key of the enclave that is used, and for what.
        var ofEnclave: (algorithm: EnclaveAlgorithm, operation: EnclaveOperation)? {
            switch self {
            case .sign: (.p256, .sign(digest: [UInt8](repeating: 1, count: 32)))
            // The generator of the curve, without anything that another key would leave behind (SEC 2, section 2.4.2).
            case .agree: (.p256, .agree(publicKey: Subject.generator))
            case .decapsulate: (.mlKEM768, .decapsulate([UInt8](repeating: 1, count: 1088)))
            case .decapsulateLarge: (.mlKEM1024, .decapsulate([UInt8](repeating: 1, count: 1568)))
            case .signMessage: (.mlDSA65, .signMessage([1], context: []))
            case .signMessageLarge: (.mlDSA87, .signMessage([1], context: []))
            default: nil
            }
        }
    }

    // The thread writes it before it signals.
    private final class Outcome: @unchecked Sendable {
        let done = DispatchSemaphore(value: 0)
        var result: Result<(Int, [String]?), any Error>?
    }

    private static func search(after use: Use, _ freedBlocks: Int) throws -> MemorySearch {
        let subject = try Subject()
        var search = try subject.search()
        fillCaches(freedBlocks)
        if use == .newKeychainInMemory {
            try subject.makeKeychain(&search)
        } else {
            try subject.perform(use)
        }
        return search
    }

    /// Brings the thread's part of the allocator into one of its states: so many free blocks of every small size.
    private static func fillCaches(_ count: Int) {
        for size in stride(from: 16, through: 1_040, by: 16) {
            let blocks = (0..<count).map { _ in malloc(size) }
            for block in blocks { free(block) }
        }
    }

    /// Secrets of every kind, and what is done with them.
    private struct Subject {
        let passcode = random(48)
        let password = random(80)
        let secret = random(160)
        let store: TestStore
        let keybag: OpenKeybag
        let slotKey: SlotKey
        let device: Device
        let passwordKey: PasswordKey
        let row: StoredRow
        let rowWithPassword: StoredRow
        let metadata: OpenedMetadata
        let metadataWithPassword: OpenedMetadata
        let backupSecret: BackupSecret
        let backup: [UInt8]
        let enclaveKeys: [EnclaveAlgorithm: SealedKey]

        static let generator: [UInt8] = [
            0x04,
            0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40, 0xF2,
            0x77, 0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96,
            0x4F, 0xE3, 0x42, 0xE2, 0xFE, 0x1A, 0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A, 0x7C, 0x0F, 0x9E, 0x16,
            0x2B, 0xCE, 0x33, 0x57, 0x6B, 0x31, 0x5E, 0xCE, 0xCB, 0xB6, 0x40, 0x68, 0x37, 0xBF, 0x51, 0xF5,
        ]

        init() throws {
            var store = try TestStore()
            try store.setPasscode("an earlier passcode")
            try store.changePasscode(passcode)
            self.store = store
            keybag = try store.keybag()
            slotKey = try #require(try store.slotKey(passcode))
            device = Device(keybag, try keybag.unlock(with: slotKey))
            passwordKey = try PasswordKey(new: password, .testing)
            row = try device.seal(.sample(secret: secret))
            rowWithPassword = try device.seal(.sample(secret: secret, flags: .applicationPassword), passwordKey)
            metadata = try device.openMetadata(of: row)
            metadataWithPassword = try device.openMetadata(of: rowWithPassword)
            backupSecret = try BackupSecret(password, .testing)
            backup = try BackupSealer(backupSecret, random: SystemRandomSource()).keybag(leftOut: [:], damaged: 0)
            var enclaveKeys: [EnclaveAlgorithm: SealedKey] = [:]
            for algorithm in EnclaveAlgorithm.allCases {
                let made = try device.makeEnclaveKey(
                    algorithm,
                    .of(.whenUnlocked, [.applicationPassword]),
                    passwordKey: passwordKey
                )
                enclaveKeys[algorithm] = try device.sealedKey(made.sealed)
            }
            self.enclaveKeys = enclaveKeys
        }

        func search() throws -> MemorySearch {
            var search = MemorySearch()
            search.add("passcode", passcode)
            search.add("password", password)
            search.add("secret", secret)
            search.add("slot key", slotKey.key)
            search.add("root slot key", keybag.rootSlotKey)
            let slot = try #require(keybag.passcodeSlot)
            let derived = try Scrypt.key(from: passcode, salt: slot.salt, slot.work)
            search.add("scrypt's key", derived)
            let derivedBytes = derived.withUnsafeBytes(SecretBytes.init(copying:))
            search.add("entangled key", try store.rootKey.entangle(derivedBytes, for: slot.storeIdentifier))
            for purpose in Keybag.purposes(hasPasscode: true) { search.add("\(purpose)", try device.key(purpose)) }
            search.add("row key", try RowPart(.secret, of: row, device).key)
            search.add("metadata key of the row", try RowPart(.metadata, of: row, device).key)
            search.add("tag key", keybag.searchTagKey.key)
            let classKey = try device.key(.classKey(.whenUnlocked))
            search.add(
                "digest key",
                classKey.withKey {
                    KeyDerivation.derive("digests", from: $0, context: device.storeIdentifier.bytes)
                }
            )
            search.add("password key", passwordKey.key)
            search.add("backup key", backupSecret.key)
            for (algorithm, key) in enclaveKeys {
                try key.withPrivateKey(device, passwordKey) { bytes throws(ProtectionError) in
                    search.add("private key of \(algorithm)", SecretBytes(copying: bytes))
                }
            }
            return search
        }

        func perform(_ use: Use) throws {
            switch use {
            case .rightPasscode: #expect(try store.slotKey(passcode) != nil)
            case .wrongPasscode: #expect(try store.slotKey(password) == nil)
            case .newPasscode: _ = try store.newSlot(passcode)
            case .newKeychainInMemory: preconditionFailure("its keys are not known before")
            case .rootSlot: _ = try store.keybag()
            case .passcodeSlot: _ = try keybag.unlock(with: slotKey)
            case .metadata: _ = try device.openMetadata(of: row)
            case .secret: #expect(try device.openSecret(of: row, metadata) == secret)
            case .seal: _ = try device.seal(.sample(secret: secret))
            case .digest:
                let classKey = try device.key(.classKey(.whenUnlocked))
                _ = ItemDigest.make(.zero, secret: secret, under: classKey, of: device.storeIdentifier)
            case .handover: #expect(SlotKey(try slotKey.handOver(store: .zero), store: .zero) != nil)
            case .password: #expect(try PasswordKey(password, passwordKey.header) != nil)
            case .secretWithPassword:
                let opened = try device.openSecret(of: rowWithPassword, metadataWithPassword, passwordKey: passwordKey)
                #expect(opened == secret)
            case .backup:
                let sealer = try BackupSealer(backupSecret, random: SystemRandomSource())
                for row in [row, rowWithPassword] { sealer.include(try sealer.reseal(row, from: device), number: 1) }
                _ = try sealer.keybag(leftOut: [:], damaged: 0)
            case .restore: #expect(try OpenBackup(backup, password, floor: TestStore.floor) != nil)
            case .sign, .agree, .decapsulate, .decapsulateLarge, .signMessage, .signMessageLarge:
                let (algorithm, operation) = try #require(use.ofEnclave)
                let sealed = try #require(enclaveKeys[algorithm])
                let checked = try #require(EnclaveUse(operation, algorithm))
                _ = try device.perform(checked, with: sealed, passwordKey: passwordKey)
            }
        }

        /// Makes a keychain, and has its keys searched for.
        func makeKeychain(_ search: inout MemorySearch) throws {
            let (_, made) = try NewKeybag.ephemeral(random: SystemRandomSource(), passcode: passcode, .testing)
            let device = Device(made.keybag, made.unlocked)
            search.add("new root slot key", made.keybag.rootSlotKey)
            for purpose in Keybag.purposes(hasPasscode: true) {
                search.add("new \(purpose)", try device.key(purpose))
            }
        }

        private static func random(_ count: Int) -> SecretBytes {
            var bytes = [UInt8].random(count: count)
            defer { bytes.wipe() }
            return SecretBytes(bytes)
        }
    }
}
