// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainTrust

/// A file with a certificate, in DER or as a PEM document.
enum CertificateFile {
    /// The maximum file size.
    private static let maximumBytes = 16 << 20

    /// Reads the first certificate of a file.
    ///
    /// - Returns: `nil` if the file cannot be read, or has none.
    static func read(_ path: Word) -> Certificate? {
        guard let bytes = contents(path) else { return nil }
        guard PEMDocument.isPresent(in: bytes) else { return try? Certificate(der: bytes) }
        let documents = (try? PEMDocument.documents(in: bytes)) ?? []
        let document = documents.first { EncodedKind(label: $0.label) == .certificate }
        return document.flatMap { try? Certificate(der: $0.bytes.unprotectedCopy) }
    }

    /// Reads a certificate, and reports on standard output if there is none, as macOS does.
    ///
    /// - Throws: ``CommandFailure`` with 1
    static func require(_ path: Word, in session: Session) throws -> Certificate {
        if let certificate = read(path) { return certificate }
        try session.output.write("***Error reading file \(path)\n")
        throw CommandFailure(status: 1)
    }

    /// A certificate as a PEM document.
    static func pem(_ der: [UInt8]) -> ByteText { ByteText(PEMDocument("CERTIFICATE", SecretBytes(der)).text) }

    /// The contents of a file; `nil` if it cannot be read.
    static func contents(_ path: Word) -> [UInt8]? {
        let name = path.withCString { String(validatingCString: $0) }
        return name.flatMap { try? FileContents.read($0, limit: maximumBytes) }
    }
}
