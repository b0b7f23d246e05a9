// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainProtection

/// A root key and the keybag of its store, through the life of a passcode.
struct TestStore {
    private(set) var rootKey: SoftwareRootKey
    private(set) var bytes: [UInt8]
    private(set) var slotKey: SlotKey?

    /// The least work that the stores of tests take.
    static let floor = ScryptFloor(of: .testing)

    init() throws {
        rootKey = try SoftwareRootKey.ephemeral()
        bytes = try OpenKeybag.make(rootKey: rootKey)
    }

    /// A store whose passcode is "1234".
    static func withPasscode() throws -> TestStore {
        var store = try TestStore()
        try store.setPasscode("1234")
        return store
    }

    func keybag() throws -> OpenKeybag { try OpenKeybag(bytes, rootKey: rootKey, floor: Self.floor) }

    func unlocked() throws -> UnlockedKeys? {
        guard let slotKey else { return nil }
        return try keybag().unlock(with: slotKey)
    }

    /// The device, as unlocked as it can be.
    func device() throws -> Sealer { Sealer(try keybag(), try unlocked()) }

    /// The key that a passcode opens the slot with; `nil` when it is wrong.
    func slotKey(_ passcode: SecretBytes) throws -> SlotKey? {
        try keybag().passcodeSlot?.open(passcode, rootKey: rootKey)
    }

    func newSlot(_ passcode: SecretBytes) throws -> NewPasscodeSlot {
        try NewPasscodeSlot(passcode, .testing, rootKey: rootKey, for: keybag().storeIdentifier)
    }

    mutating func setPasscode(_ passcode: SecretBytes) throws {
        let new = try newSlot(passcode)
        bytes = try keybag().settingPasscode(new)
        slotKey = new.key
    }

    mutating func changePasscode(_ passcode: SecretBytes) throws {
        guard let unlocked = try unlocked() else { throw ProtectionError.noPasscode }
        let new = try newSlot(passcode)
        bytes = try keybag().changingPasscode(new, unlocked)
        slotKey = new.key
    }

    mutating func removePasscode() throws {
        guard let unlocked = try unlocked() else { throw ProtectionError.noPasscode }
        bytes = try keybag().removingPasscode(unlocked)
        slotKey = nil
    }

    mutating func createRecoveryKey(_ key: RecoveryKey) throws {
        let new = try NewRecoverySlot(key, date: .referenceDate, for: keybag().storeIdentifier)
        bytes = try keybag().settingRecoveryKey(new, slotKey)
    }

    mutating func removeRecoveryKey() throws { bytes = try keybag().removingRecoveryKey(slotKey) }

    /// Another root key, and the passcode's slot under it.
    mutating func replaceRootKey(_ passcode: SecretBytes) throws {
        let next = try SoftwareRootKey.ephemeral()
        let slot = try NewPasscodeSlot(passcode, .testing, rootKey: next, for: keybag().storeIdentifier)
        bytes = try keybag().rewrapped(under: next, unlocked().map { (slot, $0) })
        (rootKey, slotKey) = (next, slot.key)
    }

    /// Puts other bytes in the place of the keybag.
    mutating func put(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The keybag with something changed, under a code that is right: what somebody who has the root key can make.
    func forged(_ change: (inout Keybag) throws -> Void) throws -> [UInt8] {
        let open = try keybag()
        var keybag = open.keybag
        try change(&keybag)
        return open.rootSlot.seal(keybag)
    }
}

extension SecretBytes: ExpressibleByStringLiteral {
    /// The UTF-8 of a text.
    package init(stringLiteral text: String) { self.init(Array(text.utf8)) }
}

extension Item {
    /// A password of "anna", with or without an access control.
    static func sample(
        _ protection: Accessibility = .whenUnlocked,
        secret: SecretBytes? = "s3cret",
        flags: AccessControlFlags? = nil
    ) -> Item {
        var attributes: Attributes = [
            "acct": .string("anna"), "svce": .string("example"), "pdmn": .string(protection.rawValue),
        ]
        if let constraints = flags.flatMap(AccessConstraints.init) {
            attributes[.accessControl] = .accessControl(
                AccessControl(protection: protection, constraints: constraints)
            )
        }
        return Item(
            itemClass: .genericPassword,
            identifier: SystemRandomSource().bytes16(),
            attributes: attributes,
            secret: secret
        )
    }
}

extension Sealer {
    /// Seals an item that nobody looks at again.
    func seal(_ item: Item, _ passwordKey: PasswordKey? = nil) throws(ProtectionError) -> StoredRow {
        var item = item
        return try seal(&item, tags: searchTags(), passwordKey: passwordKey)
    }

    /// The secret of a row, opened from the beginning.
    func secret(of row: StoredRow, _ passwordKey: PasswordKey? = nil) throws(ProtectionError) -> SecretBytes? {
        try openSecret(of: row, openMetadata(of: row), passwordKey: passwordKey)
    }
}
