// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainTrust

/// The system's certificate authorities, under the name of their keychain on macOS.
///
/// There is no such file on Linux: the certificates come from the distribution's certificate file for all programs, and
/// cannot be changed.
struct SystemRoots: ItemStore {
    /// The path of the keychain, as scripts write it.
    static let path = "/System/Library/Keychains/SystemRootCertificates.keychain"

    var path: ByteText { ByteText(Self.path) }

    var version: Int { 256 }

    func items(_ itemClass: ItemClass, _ conditions: Conditions) throws(KeychainError) -> [StoredItem] {
        guard itemClass == .certificate, let wanted = conditions.ofFiles(itemClass) else { return [] }
        return certificates().compactMap { certificate in
            var attributes = certificate.attributes
            attributes["ctyp"] = .number(.integer(1))
            attributes[AttributeName.label.description] = certificate.subjectSummary.map { .string($0) }
            // The bytes identify the certificate.
            attributes[PropertyKey.valuePersistentReference] = .data(SecretBytes(certificate.der))
            return StoredItem(itemClass, .dictionary(attributes), in: self)
        }.filter {
            wanted.areMet(by: KeychainFileItem(identifier: .zero, itemClass: itemClass, attributes: $0.attributes))
        }
    }

    func obstacle(_ itemClass: ItemClass, _ conditions: Conditions) throws(KeychainError) -> Status? { nil }

    func secret(of item: StoredItem) throws(KeychainError) -> SecretBytes {
        guard case .data(let bytes)? = item.attributes[PropertyKey.valuePersistentReference] else {
            throw .unexpectedReply
        }
        return bytes
    }

    func access(of item: StoredItem) throws(KeychainError) -> ItemAccess? { nil }

    func references(_ itemClass: ItemClass, skipsDamaged: Bool) throws(KeychainError) -> [LabelledReference] {
        guard itemClass == .certificate else { return [] }
        return certificates().map {
            LabelledReference(
                reference: .certificate(CertificateReference(data: SecretBytes($0.der))),
                label: $0.subjectSummary
            )
        }
    }

    private func certificates() -> [Certificate] {
        guard let bytes = SystemAnchors.pem, let documents = try? PEMDocument.documents(in: bytes) else { return [] }
        return documents.filter { $0.label == "CERTIFICATE" }
            .compactMap { try? Certificate(der: $0.bytes.unprotectedCopy) }
    }

    // MARK: - Changes, which are refused

    private static let readOnly = KeychainError(.readOnly, "the system's certificates are changed by its own tools")

    func checkCanAdd() throws(KeychainError) { throw Self.readOnly }

    func add(
        _ itemClass: ItemClass,
        attributes: [String: PropertyValue],
        secret: SecretBytes,
        access: RequestedAccess
    ) throws(KeychainError) { throw Self.readOnly }

    func add(_ item: NewItem) throws(KeychainError) { throw Self.readOnly }

    func update(
        _ item: StoredItem,
        attributes: [String: PropertyValue],
        secret: SecretBytes?,
        access: RequestedAccess
    ) throws(KeychainError) { throw Self.readOnly }

    func delete(_ item: StoredItem) throws(KeychainError) { throw Self.readOnly }
}
