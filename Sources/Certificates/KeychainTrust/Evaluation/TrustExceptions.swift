// SPDX-License-Identifier: Apache-2.0

import Crypto
package import FoundationEssentials
import KeychainPropertyLists

/// The defects that a user decided to ignore: those that one evaluation found in one chain.
///
/// An XML property list: `version` 1, `leaf`, the SHA-256 digest of the evaluated certificate, and `defects`, a list of
/// dictionaries with `certificate`, the digest of the certificate in the chain, and `defect`, the name of the defect.
package struct TrustExceptions: Sendable, Hashable {
    /// One defect of one certificate.
    package struct Exception: Sendable, Hashable, Codable {
        let certificate: Data
        let defect: TrustDefect
    }

    let leaf: Data
    let exceptions: Set<Exception>

    /// The maximum size of an encoding.
    private static let maximumBytes = 1 << 20

    /// The exceptions for everything that an evaluation found, except defects that can never be ignored.
    package init(_ evaluation: TrustEvaluation) {
        leaf = Self.digest(evaluation.chain.first ?? [])
        exceptions = Set(
            evaluation.findings.filter { $0.defect != .denied }.compactMap { finding in
                evaluation.certificate(finding).map {
                    Exception(certificate: Self.digest($0), defect: finding.defect)
                }
            }
        )
    }

    /// Exceptions from their encoding; `nil` if it is invalid.
    package init?(encoding: Data) {
        guard encoding.count <= Self.maximumBytes, PropertyListShape.isHarmlessXML(encoding),
            let list = try? PropertyListDecoder().decode(List.self, from: encoding), list.version == 1
        else { return nil }
        leaf = list.leaf
        exceptions = Set(list.defects)
    }

    /// The encoding.
    package var encoding: Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        let defects = exceptions.sorted {
            ($0.defect.rawValue, "\(Array($0.certificate))") < ($1.defect.rawValue, "\(Array($1.certificate))")
        }
        // Such a list can always be written.
        return (try? encoder.encode(List(version: 1, leaf: leaf, defects: defects))) ?? Data()
    }

    private struct List: Codable {
        var version: Int
        var leaf: Data
        var defects: [Exception]
    }

    /// Whether they apply to a certificate.
    package func concern(_ certificate: [UInt8]) -> Bool { leaf == Self.digest(certificate) }

    /// Whether a defect of a certificate is ignored.
    func permit(_ defect: TrustDefect, of certificate: [UInt8]?) -> Bool {
        guard let certificate else { return false }
        return exceptions.contains(Exception(certificate: Self.digest(certificate), defect: defect))
    }

    private static func digest(_ certificate: [UInt8]) -> Data { Data(SHA256.hash(data: certificate)) }
}
