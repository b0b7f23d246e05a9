// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A rule by which certificates are judged.
public final class SecPolicy: Sendable {
    let value: CertificatePolicy

    init(_ value: CertificatePolicy) { self.value = value }
}
