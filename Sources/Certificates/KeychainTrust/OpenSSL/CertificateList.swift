// SPDX-License-Identifier: Apache-2.0

/// A list of certificates that OpenSSL reads (`STACK_OF(X509)`); it keeps them for as long as it lives.
struct CertificateList: ~Copyable {
    let pointer: OpaquePointer?
    private let certificates: [ParsedCertificate]
    private let library: OpenSSLLibrary

    init(_ certificates: [ParsedCertificate], _ library: OpenSSLLibrary) {
        self.certificates = certificates
        self.library = library
        pointer = library.newList()
        for certificate in certificates { _ = library.append(pointer, certificate.pointer) }
    }

    deinit { library.freeList(pointer) }
}
