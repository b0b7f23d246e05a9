// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Crypto
import Glibc
import KeychainCore
import KeychainEngine
import Testing

@testable import KeychainProtection

/// What lies on the stack of a thread when a call has ended.
struct StackTests {
    /// What is called last.
    enum Call: CaseIterable {
        case add, read, update, delete, unlock, wrongPasscode, changePasscode
    }

    /// More than the frames between a test and what wipes the stack have, which are large in a debug build.
    private static let outerFrames = 32 << 10

    @Test("the stack below a call of the keychain is zero when it has ended", arguments: Call.allCases)
    func call(_ call: Call) throws {
        let subject = try Subject()
        let stack = try ThreadStack()
        // The first time the dynamic linker looks up what is called, after the stack was wiped.
        try stack.run { try subject.perform(call) }
        try subject.prepare(for: call)
        try stack.run { try subject.perform(call) }
        #expect(stack.found(try subject.secrets()) == [])
        expectWiped(stack, .call)
    }

    @Test("so is the stack below the use of a private key of the enclave", arguments: EnclaveAlgorithm.allCases)
    func privateKey(_ algorithm: EnclaveAlgorithm) throws {
        let key = try EnclaveKeyUse(algorithm)
        let stack = try ThreadStack()
        for _ in 0..<2 { try stack.run { try key.perform() } }
        #expect(stack.found(["the private key": try key.privateKey()]) == [])
        expectWiped(stack, .privateKey)
    }

    @Test("no more is overwritten than the thread has, however small its stack")
    func smallStack() throws {
        let (neighbour, guardSize, size) = (256 << 10, 4 << 10, 64 << 10)
        let byteCount = neighbour + guardSize + size
        let mapping = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        let memory = try #require(mapping == MAP_FAILED ? nil : mapping)
        defer { munmap(memory, byteCount) }
        // The stack of another thread, the guard between both, and the stack of ours.
        memset(memory, 0xA5, neighbour)
        try #require(mprotect(memory + neighbour, guardSize, PROT_NONE) == 0)
        let failure = storm_run_on_stack(
            memory + neighbour + guardSize,
            size,
            { _ in StackMemory.wiped(.privateKey) {} },
            nil
        )
        #expect(failure == 0)
        #expect(UnsafeRawBufferPointer(start: memory, count: neighbour).count { $0 != 0xA5 } == 0)
    }

    @Test("the search finds what is left on a stack")
    func searchFinds() throws {
        let stack = try ThreadStack()
        let secret = SecretBytes((1...64).map { $0 })
        // The first time the dynamic linker, which looks up what is called last, may write over it.
        for _ in 0..<2 {
            try stack.run {
                secret.withUnsafeBytes { secret in
                    withUnsafeTemporaryAllocation(byteCount: 512, alignment: 16) { $0.copyMemory(from: secret) }
                }
            }
        }
        #expect(stack.found(["the secret": secret.unprotectedCopy]) == ["the secret"])
        #expect(stack.usedBytes(0..<4_096) >= 64)
    }

    private func expectWiped(_ stack: ThreadStack, _ depth: StackMemory.Depth) {
        #expect(stack.usedBytes(Self.outerFrames..<depth.rawValue) == 0)
        // Below what is wiped lies no more than the frame of what wipes: the call went less deep.
        #expect(stack.depth < Self.outerFrames + depth.rawValue)
    }

    /// A keychain in a folder, and everything that is secret in it.
    private struct Subject {
        private let folder: StormFolder
        private let keychain: EmbeddedKeychain
        private let client = Client(accessGroups: ["STACK.a"])
        private let passcode = SecretBytes(randomBytes(48))
        private let secret = SecretBytes(randomBytes(64))

        init() throws {
            folder = try StormFolder()
            keychain = folder.keychain()
            try keychain.device.setPasscode(passcode)
            try add("item")
        }

        func prepare(for call: Call) throws {
            if call == .delete { try add("item") }
            if call == .add { try perform(.delete(query("another"))) }
        }

        func perform(_ call: Call) throws {
            switch call {
            case .add: try add("another")
            case .read:
                var query = query("item")
                query[PropertyKey.returnData] = .boolean(true)
                try perform(.copyMatching(query))
            case .update: try perform(.update(query("item"), attributes: ["labl": .string("updated")]))
            case .delete: try perform(.delete(query("item")))
            case .unlock: try keychain.device.unlock(passcode: passcode)
            case .wrongPasscode: try? keychain.device.unlock(passcode: secret)
            case .changePasscode: try keychain.device.changePasscode(from: passcode, to: passcode)
            }
        }

        /// What must not be found, by name.
        func secrets() throws -> [String: [UInt8]] {
            let store = try StoreKeysOnDisk(folder.path, passcode: passcode.unprotectedCopy)
            var secrets = try store.classKeys(.whenUnlocked)
            secrets.merge(try store.rowKeys([.whenUnlocked], "now")) { first, _ in first }
            secrets["the slot's key"] = store.slotKey
            secrets["the passcode"] = passcode.unprotectedCopy
            secrets["the secret"] = secret.unprotectedCopy
            return secrets
        }

        private func add(_ account: String) throws {
            var item = query(account)
            item[PropertyKey.valueData] = .data(secret)
            try perform(.add(item))
        }

        private func query(_ account: String) -> PropertyDictionary {
            ["class": .string("genp"), "svce": .string("stack"), "acct": .string(account)]
        }

        private func perform(_ operation: KeychainRequest.Operation) throws {
            _ = try keychain.perform(KeychainRequest(operation, client: client))
        }
    }

    /// A key of the enclave, and a use of it.
    private struct EnclaveKeyUse {
        private let sealer: Sealer
        private let key: SealedKey
        private let use: EnclaveUse

        init(_ algorithm: EnclaveAlgorithm) throws {
            let rootKey = try SoftwareRootKey.ephemeral()
            sealer = Sealer(try OpenKeybag(OpenKeybag.make(rootKey: rootKey), rootKey: rootKey))
            let made = try sealer.makeEnclaveKey(algorithm, AccessControl(synthesizedFor: .whenUnlocked))
            key = try sealer.sealedKey(made.sealed)
            use = try #require(EnclaveUse(Self.operation(algorithm), algorithm))
        }

        func perform() throws { _ = try sealer.perform(use, with: key) }

        func privateKey() throws -> [UInt8] {
            try key.withPrivateKey(openedBy: sealer, passwordKey: nil) { (bytes) throws(ProtectionError) in Array(bytes)
            }
        }

        private static func operation(_ algorithm: EnclaveAlgorithm) -> EnclaveOperation {
            switch algorithm {
            case .p256: .sign(digest: [UInt8](repeating: 1, count: 32))
            case .mlKEM768: .decapsulate([UInt8](repeating: 1, count: 1088))
            case .mlKEM1024: .decapsulate([UInt8](repeating: 1, count: 1568))
            case .mlDSA65, .mlDSA87: .signMessage([1], context: [])
            }
        }
    }

    private static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in .random(in: 0...255, using: &generator) }
    }
}
