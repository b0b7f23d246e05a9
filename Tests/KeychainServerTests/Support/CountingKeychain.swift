// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Synchronization

/// A keychain that counts how often each account was added, and holds calls back where a test wants that.
final class CountingKeychain: KeychainBackend {
    private let state = Mutex(State())
    private let opened = NSCondition()

    private struct State {
        var counts: [String: Int] = [:]
        var released: [Bytes16] = []
        var held = 0
        var isOpen = true
        var answer: SecretBytes? = SecretBytes()
        var failure: KeychainError?
    }

    var counts: [String: Int] { state.withLock(\.counts) }

    /// The contexts that were released.
    var released: [Bytes16] { state.withLock(\.released) }

    /// How many calls are held back now.
    var held: Int { state.withLock(\.held) }

    /// What a read gives; `nil` for one that asked for nothing.
    var answer: SecretBytes? {
        get { state.withLock(\.answer) }
        set { state.withLock { $0.answer = newValue } }
    }

    /// Why a read fails; `nil` where it does not.
    var failure: KeychainError? {
        get { state.withLock(\.failure) }
        set { state.withLock { $0.failure = newValue } }
    }

    /// Holds back every call of an item function from now on, until ``open()``.
    func close() { state.withLock { $0.isOpen = false } }

    func open() {
        state.withLock { $0.isOpen = true }
        opened.broadcast()
    }

    var families: CommandFamily { .all }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        switch command {
        case .items(let request):
            waitUntilOpen()
            switch request.operation {
            case .add(let attributes):
                guard case .string(let name)? = attributes["acct"] else { throw .parameter("no account") }
                state.withLock { $0.counts[name, default: 0] += 1 }
                return .answer(.nothing)
            default:
                if let failure { throw failure }
                return .answer(answer.map { .single(.data($0)) } ?? .nothing)
            }
        case .authentication(.release(let context)):
            state.withLock { $0.released.append(context) }
            return .done
        case .device(.status):
            return .deviceStatus(DeviceStatus(lockState: .unlocked, hasPasscode: false))
        default: return .done
        }
    }

    private func waitUntilOpen() {
        guard !state.withLock(\.isOpen) else { return }
        state.withLock { $0.held += 1 }
        opened.lock()
        while !state.withLock(\.isOpen) { _ = opened.wait(until: Date(timeIntervalSinceNow: 0.05)) }
        opened.unlock()
        state.withLock { $0.held -= 1 }
    }
}

extension KeychainBackend {
    /// Adds an item of an account.
    func add(_ name: String) throws(KeychainError) {
        _ = try perform(KeychainRequest(.add(["acct": .string(name)]), client: Client(accessGroups: ["test"])))
    }

    /// Reads something.
    func read() throws(KeychainError) -> KeychainAnswer {
        try perform(KeychainRequest(.copyMatching([:]), client: Client(accessGroups: ["test"])))
    }
}
