// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainTrust

/// The public key interoperability test suite of NIST (PKITS), which `Scripts/vectors` brings.
///
/// The names of its certificates say whether a path is valid. What is judged otherwise is in
/// `Cases/path-suite-differences.txt`, with the reason.
struct PathSuiteTests {
    static let folder = TestVectors.folder?.appendingPathComponent("cryptography_vectors/x509/PKITS_data/certs")

    /// The names of the paths that are judged otherwise.
    private static var differences: Set<String> {
        get throws {
            let lines = try String(contentsOf: Samples.file("path-suite-differences.txt"), encoding: .utf8)
                .split(separator: "\n").filter { !$0.hasPrefix("#") }
            return Set(lines.compactMap { $0.split(separator: " ").first.map(String.init) })
        }
    }

    @Test(
        "every path is judged as its name says, but for the known differences",
        .enabled(if: folder != nil, "Scripts/test names the folder of the suite")
    )
    func paths() throws {
        let folder = try #require(Self.folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".crt") }
        func bytes(_ name: String) throws -> [UInt8] {
            Array(try Data(contentsOf: folder.appendingPathComponent(name)))
        }
        let authorities = try names.filter { !$0.contains("EE.crt") && !$0.hasPrefix("TrustAnchor") }
            .sorted().map(bytes)
        let anchor = try bytes("TrustAnchorRootCertificate.crt")
        var (different, count): (Set<String>, Int) = ([], 0)
        for name in names where name.hasSuffix("EE.crt") {
            guard name.hasPrefix("Valid") || name.hasPrefix("Invalid") else { continue }
            var request = TrustRequest(
                certificates: [try bytes(name)] + authorities,
                policies: [.basicX509],
                date: try Samples.date("2012-01-01")
            )
            request.anchors = [anchor]
            request.usesSystemAnchors = false
            count += 1
            if try TrustEvaluator.evaluate(request).isTrusted != name.hasPrefix("Valid") {
                different.insert(String(name.dropLast(".crt".count)))
            }
        }
        #expect(count > 190)
        let known = try Self.differences
        #expect(different.subtracting(known).sorted() == [], "unknown differences")
        #expect(known.subtracting(different).sorted() == [], "differences that are none any more")
    }
}
