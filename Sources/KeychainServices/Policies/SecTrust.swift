// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates

/// Certificates that could be judged; nothing here judges them.
///
/// The import of a PKCS #12 file makes one, because its result has a place for it.
public final class SecTrust: Sendable {
    let certificates: [Certificate]

    init(_ certificates: [Certificate]) { self.certificates = certificates }
}
