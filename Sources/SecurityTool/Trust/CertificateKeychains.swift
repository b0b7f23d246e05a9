// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates

/// Certificates in keychains, for the commands about trust.
///
/// There are no keychains of files yet: this is where they come in.
enum CertificateKeychains {
    /// Stores a certificate in a keychain, unless it is there already.
    ///
    /// - Throws: ``CommandFailure`` with 1
    static func add(_ certificate: Certificate, to keychain: Word) throws(CommandFailure) {
        throw missing(keychain)
    }

    /// The certificates of keychains.
    ///
    /// - Throws: ``CommandFailure`` with 1
    static func certificates(in keychains: [Word]) throws(CommandFailure) -> [Certificate] {
        guard let first = keychains.first else { return [] }
        throw missing(first)
    }

    private static func missing(_ keychain: Word) -> CommandFailure {
        CommandFailure("security: \(keychain): certificates in keychain files are not implemented yet")
    }
}
