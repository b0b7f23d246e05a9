// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

extension EmbeddedKeychain {
    /// Verifies the passcode, and offers an unlock to the child processes of this process.
    ///
    /// Nothing is unlocked in this process.
    ///
    /// - Returns: The offer, which the caller withdraws; `nil` on a device without a passcode, and for a keychain in
    ///   memory.
    /// - Throws: What `KeychainDevice.unlock(passcode:)` throws.
    package func offerUnlock(passcode: SecretBytes) throws(KeychainError) -> UnlockOffer? {
        try PasscodeAttempt.withExclusiveAccess(access) { (attempt) throws(KeychainError) in
            guard let key = try attempt.check(passcode) else { return nil }
            return try attempt.withEngine(.reading) { (engine) throws(KeychainError) in try engine.offerUnlock(key) }
        }
    }
}

extension Engine {
    /// Offers an unlock that is good until the next lock.
    fileprivate func offerUnlock(_ key: SlotKey) throws(KeychainError) -> UnlockOffer? {
        guard let folder else { return nil }
        let mark = LockMark(folder)
        let value = try mark.readOrMake()
        let store = try read { (_) throws(KeychainError) in device.keybag.storeIdentifier }
        let boot = session.bootIdentifier
        let descriptor = try Handover.offer(key, store: store, mark: value.bytes, boot: boot, in: folder)
        let offer = UnlockOffer(descriptor: descriptor, in: folder)
        // A lock that came in between did not see the file.
        guard mark.read() == value else {
            offer.withdraw()
            throw KeychainError(DeviceError.locked)
        }
        return offer
    }

    /// Accepts the unlock that this process inherited, if its keychain has just been opened and nothing was unlocked
    /// yet.
    func acceptInheritedUnlock() throws(KeychainError) {
        guard let folder, session.lockState == .beforeFirstUnlock, let mark = LockMark(folder).read() else { return }
        let found = try read { (reader) throws(KeychainError) in
            stored(device.keybag, try reader.deviceRecord())
        }
        let keybag = found.keybag
        let boot = session.bootIdentifier
        let key = Handover.receive(store: keybag.storeIdentifier, mark: mark.bytes, boot: boot, in: folder)
        // The key of an earlier passcode opens nothing; then the process is locked, as it would be without.
        guard let key, let keys = try? keybag.unlock(with: key) else { return }
        session.install(keys, of: found, mark)
    }

    /// Ends every unlock that was offered.
    func withdrawUnlocks() {
        if let folder { Handover.withdrawAll(in: folder) }
    }
}
