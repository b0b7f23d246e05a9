// SPDX-License-Identifier: Apache-2.0

import PortableSecurity

extension ItemContents {
    /// Rejects contents that the class of an item cannot hold.
    func checkClass(of key: ItemKey) throws(TransportFailure) {
        switch (self, key.itemClass) {
        case (.data, _), (.key, .key), (.certificate, .certificate): return
        default: throw TransportFailure(status: errSecParam, reason: "a \(key.itemClass.title) cannot hold \(self)")
        }
    }

    /// Rejects a key or a certificate other than the one that the item names.
    ///
    /// Such a set keeps the existing contents: an update cannot carry a reference, and the row of an item that names
    /// another key would keep that one.
    func checkIdentity(with key: ItemKey) throws(TransportFailure) {
        try checkClass(of: key)
        let brought: [String: ItemKey.Value]
        switch self {
        case .data: return
        case .key(let secKey): brought = KeyItem.attributes(of: secKey)
        case .certificate(let certificate): brought = CertificateItem(certificate).key.attributes
        }
        // A key without a token is another one than that in the Secure Enclave.
        let others = Set(brought.keys).union([PrimaryKeyTable.tokenID]).filter { brought[$0] != key.attributes[$0] }
        guard !others.isEmpty else { return }
        let titles = PrimaryKeyTable.columns(of: key.itemClass).filter { others.contains($0.name) }.map(\.title)
        let differing = (titles + (others.contains(PrimaryKeyTable.tokenID) ? ["token"] : [])).joined(separator: ", ")
        throw TransportFailure(
            status: errSecParam,
            reason: "the item names another one than \(self) to be set: \(differing) of the two differ"
        )
    }
}
