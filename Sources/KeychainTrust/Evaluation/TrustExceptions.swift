// SPDX-License-Identifier: Apache-2.0

import Crypto
package import Foundation

/// What somebody has decided to pass over: the defects that one evaluation found, for one chain.
///
/// An XML property list: `version` 1, `leaf`, the SHA-256 digest of the certificate that was judged, and `defects`, a
/// list of dictionaries with `certificate`, the digest of that in the chain, and `defect`, its name.
package struct TrustExceptions: Sendable, Hashable {
    /// One defect of one certificate.
    package struct Exception: Sendable, Hashable {
        let certificate: Data
        let defect: TrustDefect
    }

    let leaf: Data
    let exceptions: Set<Exception>

    /// The largest encoding that is read.
    private static let mostBytes = 1 << 20

    /// The exceptions for all that an evaluation found, but for what nobody may pass over.
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

    /// Exceptions from their encoding; `nil` for what is none.
    package init?(encoding: Data) {
        guard encoding.count <= Self.mostBytes, encoding.first == UInt8(ascii: "<"),
            let list = try? PropertyListSerialization.propertyList(from: encoding, format: nil),
            let members = list as? [String: Any], members["version"] as? Int == 1,
            let leaf = members["leaf"] as? Data, let defects = members["defects"] as? [[String: Any]]
        else { return nil }
        self.leaf = leaf
        var exceptions: Set<Exception> = []
        for members in defects {
            guard let certificate = members["certificate"] as? Data,
                let defect = (members["defect"] as? String).flatMap(TrustDefect.init(rawValue:))
            else { return nil }
            exceptions.insert(Exception(certificate: certificate, defect: defect))
        }
        self.exceptions = exceptions
    }

    /// The encoding.
    package var encoding: Data {
        let defects = exceptions.map { ["certificate": $0.certificate, "defect": $0.defect.rawValue] as [String: Any] }
            .sorted { "\($0)" < "\($1)" }
        let list: [String: Any] = ["version": 1, "leaf": leaf, "defects": defects]
        // Such a list can always be written.
        return (try? PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)) ?? Data()
    }

    /// Whether they are about a certificate.
    package func concern(_ certificate: [UInt8]) -> Bool { leaf == Self.digest(certificate) }

    /// Whether a defect of a certificate is passed over.
    func permit(_ defect: TrustDefect, of certificate: [UInt8]?) -> Bool {
        guard let certificate else { return false }
        return exceptions.contains(Exception(certificate: Self.digest(certificate), defect: defect))
    }

    private static func digest(_ certificate: [UInt8]) -> Data { Data(SHA256.hash(data: certificate)) }
}
