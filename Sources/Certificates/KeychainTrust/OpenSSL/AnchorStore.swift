// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The certificates at which chains may end (`X509_STORE`).
struct AnchorStore: ~Copyable {
    let pointer: OpaquePointer?
    private let library: OpenSSLLibrary

    init(_ anchors: some Sequence<ParsedCertificate>, _ library: OpenSSLLibrary) {
        self.library = library
        pointer = library.newStore()
        // The store counts its own references; one that is there already is passed over.
        for anchor in anchors { _ = library.addAnchor(pointer, anchor.pointer) }
    }

    deinit { library.freeStore(pointer) }
}

/// How chains are judged (X509_VERIFY_PARAM_set_flags(3), X509_VERIFY_PARAM_set_auth_level(3)).
enum VerificationParameters {
    /// Every anchor ends a chain, also one that another has issued (`X509_V_FLAG_PARTIAL_CHAIN`).
    private static let partialChain: UInt = 0x80000

    /// Certificate policies that a chain asks for itself hold (`X509_V_FLAG_POLICY_CHECK`; RFC 5280, section 6.1).
    private static let policies: UInt = 0x80

    /// The policy that stands for all (RFC 5280, section 4.2.1.4).
    private static let anyPolicy = "2.5.29.32.0"

    static func set(_ parameters: OpaquePointer?, at date: Timestamp, _ library: OpenSSLLibrary) {
        // Whoever asks takes any policy.
        _ = library.addPolicy(parameters, library.objectIdentifier(anyPolicy, 1))
        _ = library.setFlags(parameters, partialChain | policies)
        library.setTime(parameters, date.secondsSince1970)
    }
}

extension Timestamp {
    /// Whole seconds, as time_t counts them, within the years that a certificate can name.
    var secondsSince1970: Int {
        let seconds = secondsSinceReferenceDate + 978_307_200
        guard seconds > -62_167_219_200 else { return -62_167_219_200 }
        guard seconds < 253_402_300_799 else { return seconds.isNaN ? 0 : 253_402_300_799 }
        return Int(seconds.rounded(.down))
    }
}
