// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Certificate {
    /// The attributes that a certificate contributes to an add by reference (Semantics, "Computed attributes").
    ///
    /// `ctyp` is the version; `cenc` is 3, for DER; `issr` and `subj` are normalized content; `slnr` the octets of the
    /// serial number; `skid` is present if the extension is; `pkhh` the hash of the public key.
    package var attributes: [String: PropertyValue] {
        var attributes: [String: PropertyValue] = [
            "ctyp": .number(.integer(Int64(version))),
            "cenc": .number(.integer(3)),
            "subj": .data(SecretBytes(normalizedSubject)),
            "issr": .data(SecretBytes(normalizedIssuer)),
            "slnr": .data(SecretBytes(serialNumber)),
            "pkhh": .data(SecretBytes(publicKeyHash)),
        ]
        attributes["skid"] = subjectKeyIdentifier.map { .data(SecretBytes($0)) }
        return attributes
    }

    /// The attributes that the certificate contributes to a request.
    package var reference: CertificateReference {
        CertificateReference(attributes: attributes, data: SecretBytes(der), subjectSummary: subjectSummary)
    }
}
