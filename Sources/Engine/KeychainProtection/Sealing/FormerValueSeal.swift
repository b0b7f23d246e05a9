// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Seals and opens former values of items (Documentation/Format.md, "Former values").
///
/// They are among the attributes, which are sealed under another key of the protection class than secrets, and may be
/// read where the secret may not: so each is sealed as the secret is, under the class key and, if the item has one, its
/// application password.
package struct FormerValueSeal {
    private let sealer: Sealer
    private let itemClass: ItemClass
    private let identifier: ItemIdentifier
    private let protection: Accessibility

    /// The former values of an item with a protection class.
    package init(
        _ sealer: Sealer,
        _ itemClass: ItemClass,
        of identifier: ItemIdentifier,
        under protection: Accessibility
    ) {
        self.sealer = sealer
        self.itemClass = itemClass
        self.identifier = identifier
        self.protection = protection
    }

    /// Seals a value.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - name: the identifier that it has among the values of its item.
    ///   - passwordKey: the key of the item's application password, if it has one.
    /// - Returns: The sealed bytes.
    /// - Throws: ``ProtectionError/classUnavailable(_:)``.
    package func seal(
        _ value: SecretBytes,
        as name: Bytes16,
        _ passwordKey: PasswordKey?
    ) throws(ProtectionError) -> [UInt8] {
        let content = if let passwordKey { try PasswordLayer.seal(value, passwordKey, for: use) } else { value }
        let context = context(name)
        let key = try key(context)
        return try SecretPadding.pad(content).withUnsafeBytes { (padded) throws(ProtectionError) in
            try GCM.seal(padded, under: key, associatedData: Self.associatedData(context))
        }
    }

    /// Opens a value.
    ///
    /// - Throws: ``ProtectionError/damagedRow(_:)`` if it does not open, ``ProtectionError/passwordMissing`` without
    ///   the key of its application password, ``ProtectionError/classUnavailable(_:)``.
    package func open(
        _ value: HistoryRecord.Value,
        _ passwordKey: PasswordKey?
    ) throws(ProtectionError) -> SecretBytes {
        let context = context(value.note.identifier)
        let content = try GCM.open(
            value.sealed[...],
            under: try key(context),
            associatedData: Self.associatedData(context)
        ) { (padded) throws(ProtectionError) in
            guard let content = SecretPadding.content(of: padded) else { throw .damagedRow(.padding) }
            return SecretBytes(copying: content)
        }
        guard let content else { throw .damagedRow(.secret) }
        guard value.isUnderPassword else { return content }
        guard let layer = PasswordLayer(content), layer.header.work.isAcceptable(sealer.floor) else {
            throw .damagedRow(.secret)
        }
        guard let passwordKey, passwordKey.header == layer.header else { throw .passwordMissing }
        guard let opened = layer.open(passwordKey, for: use) else { throw .damagedRow(.secret) }
        return opened
    }

    private func key(_ context: [UInt8]) throws(ProtectionError) -> SymmetricKey {
        KeyDerivation.derive("former value", from: try sealer.key(.classKey(protection)), context: context)
    }

    private func context(_ name: Bytes16) -> [UInt8] {
        sealer.storeIdentifier.bytes + Array(itemClass.rawValue.utf8) + identifier.bytes + name.bytes
    }

    private static func associatedData(_ context: [UInt8]) -> [UInt8] { [0x48, FileFormat.number] + context }

    private var use: PasswordLayer.Use {
        PasswordLayer.Use("former value password", Array(itemClass.rawValue.utf8) + identifier.bytes)
    }
}
