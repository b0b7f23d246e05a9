// SPDX-License-Identifier: Apache-2.0

/// Persistent references of items (Semantics, "Persistent references"): the class and the identifier, 20 bytes.
extension ItemIdentifier {
    /// The reference of an item of a class.
    package func persistentReference(of itemClass: ItemClass) -> SecretBytes {
        SecretBytes(Array(itemClass.rawValue.utf8) + bytes)
    }

    /// The identifier in a reference; `nil` for one of another form.
    package init?(persistentReference reference: SecretBytes) {
        self.init(reference.unprotectedCopy.dropFirst(4))
    }
}
