// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainEngine

/// What the storm does with its device: `passcode COUNT`, `unlock COUNT`, `lock`, `take COUNT`, `keep LEVEL`, `drop`,
/// `open ACCOUNT`.
///
/// Secrets come as so many bytes after the line, and leave no copy, so that whatever is found of them later is the
/// keychain's.
struct DeviceSteps {
    private var held: SecretBytes?

    /// Carries out a command; `false` when it is none of these.
    mutating func perform(_ command: String, _ argument: String, on subject: Subject) -> Bool {
        let count = Int(argument) ?? 0
        switch command {
        case "passcode": subject.setPasscode(Self.readSecret(count))
        case "unlock": subject.unlock(Self.readSecret(count))
        case "lock": subject.lock()
        case "take":
            held = Self.readSecret(count)
            Console.write("take \(count) 0")
        case "keep": subject.addItem(argument, held)
        case "drop":
            held = nil
            Console.write("drop secret 0")
        case "open": subject.open(argument)
        default: return false
        }
        return true
    }

    private static func readSecret(_ count: Int) -> SecretBytes {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 8)
        defer {
            keychain_wipe(bytes.baseAddress, bytes.count)
            bytes.deallocate()
        }
        var filled = 0
        while filled < count {
            let more = read(STDIN_FILENO, bytes.baseAddress?.advanced(by: filled), count - filled)
            if more <= 0 { _exit(5) }
            filled += more
        }
        return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }
}

extension Subject {
    /// Sets the device's first passcode: `passcode set STATUS`.
    func setPasscode(_ passcode: SecretBytes) {
        report("passcode set") { () throws(KeychainError) in try backend.device.setPasscode(passcode) }
    }

    /// Unlocks the device: `unlock device STATUS`.
    func unlock(_ passcode: SecretBytes) {
        report("unlock device") { () throws(KeychainError) in try backend.device.unlock(passcode: passcode) }
    }

    /// Locks the device: `lock device STATUS`.
    func lock() {
        report("lock device") { () throws(KeychainError) in try backend.device.lock() }
    }

    /// Adds an item of a level, named after it, with a secret that the caller holds: `keep LEVEL STATUS`.
    func addItem(_ level: String, _ secret: SecretBytes?) {
        var item: PropertyDictionary = [
            "class": .string("genp"), "svce": .string("storm"), "acct": .string(level), "pdmn": .string(level),
        ]
        if let secret { item[PropertyKey.valueData] = .data(secret) }
        report("keep \(level)") { () throws(KeychainError) in
            _ = try backend.perform(KeychainRequest(.add(item), client: client))
        }
    }

    /// Reads an item's attributes, and lets go of them: `open ACCOUNT STATUS`.
    ///
    /// Its secret is not asked for.
    func open(_ account: String) {
        let query: PropertyDictionary = [
            "class": .string("genp"), "svce": .string("storm"), "acct": .string(account),
            PropertyKey.returnAttributes: .boolean(true),
        ]
        report("open \(account)") { () throws(KeychainError) in
            _ = try backend.perform(KeychainRequest(.copyMatching(query), client: client))
        }
    }

    private func report(_ step: String, _ body: () throws(KeychainError) -> Void) {
        do throws(KeychainError) {
            try body()
            Console.write("\(step) 0")
        } catch {
            Console.write("\(step) \(error.status.rawValue) \(error.reason)")
        }
    }
}
