// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainEngine
import KeychainTrust

/// `verify-cert` (reference, section 8).
///
/// - Important: Differs from macOS: there is no network access, so there is no URL, and revocation is unknown; `-C`,
///   `-l`, `-L`, `-N`, `-t` and `-v` have no effect.
struct VerifyCertificate: Command {
    let options: OptionSyntax = "hc:r:p:n:s:e:d:k:R:NLlCPtvq"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        if invocation.words.isEmpty { throw Self.noCertificates }
        let wishes = try Wishes(invocation, options)
        guard invocation.arguments.operands.isEmpty else {
            throw CommandFailure("security: verify-cert: certificates of a server are not fetched on this platform")
        }
        var request = try request(wishes, session)
        request.settings = try reportingTrust("SecTrustEvaluate") { () throws(KeychainError) in
            try session.trustSettings.all()
        }
        let evaluation = try reportingTrust("SecTrustEvaluate") { () throws(KeychainError) in
            try TrustEvaluator.evaluate(request)
        }
        if wishes.showsChain { try show(evaluation, session) }
        let isQuiet = wishes.isQuiet || session.isQuiet
        guard let finding = evaluation.mainFinding else {
            if !isQuiet { try session.output.write("...certificate verification successful.\n") }
            return 0
        }
        guard !isQuiet else { return 1 }
        if finding.defect == .denied {
            throw CommandFailure("SecTrustEvaluate result: kSecTrustResultDeny")
        }
        throw CommandFailure("Cert Verify Result: \(finding.defect.symbol ?? finding.defect.status.text)")
    }

    private static let noCertificates = CommandFailure(
        status: CommandFailure.usage.status,
        "***No certs specified."
    )

    /// Evaluates the first given certificate, or the first of the roots.
    private func request(_ wishes: Wishes, _ session: Session) throws -> TrustRequest {
        let roots = try wishes.roots.map { try CertificateFile.require($0, in: session) }
        let given = try wishes.certificates.map { try CertificateFile.require($0, in: session) }
        guard !given.isEmpty || !roots.isEmpty else { throw Self.noCertificates }
        let stored = try CertificateKeychains.certificates(in: wishes.keychains, session.keychains)
        var request = TrustRequest(
            certificates: ((given.isEmpty ? roots : given) + stored).map(\.der),
            policies: wishes.policies,
            date: wishes.date ?? SystemClock().now
        )
        request.anchors = roots.map(\.der)
        request.usesSystemAnchors = roots.isEmpty
        return request
    }

    private func show(_ evaluation: TrustEvaluation, _ session: Session) throws {
        for der in evaluation.chain { try session.output.write(CertificateFile.pem(der)) }
    }

    /// The requested evaluation.
    private struct Wishes {
        var certificates: [Word] = []
        var roots: [Word] = []
        var keychains: [Word] = []
        var policies: [CertificatePolicy] = []
        var date: Timestamp?
        var showsChain = false
        var isQuiet = false

        init(_ invocation: Invocation, _ syntax: OptionSyntax) throws(CommandFailure) {
            var policy: CertificatePolicy?
            var name: String?
            var revocation: UInt64?
            for option in invocation.arguments.options {
                switch option.letter {
                case "c": certificates.append(option.value)
                case "r": roots.append(option.value)
                case "k": keychains.append(option.value)
                case "p": policy = try PolicyName.policy(option.value)
                case "s", "n", "e":
                    // A name belongs to the policy that takes one, unless another was named.
                    guard let text = option.value.text else { throw .usage }
                    name = text
                    if option.letter == "s" { policy = policy ?? .tls(isServer: true, host: nil) }
                    if option.letter == "e" {
                        policy = policy ?? .purpose(.emailProtection, isServer: true, name: nil)
                    }
                case "d":
                    guard let date = option.value.text.flatMap(VerificationDate.timestamp) else { throw .usage }
                    self.date = date
                case "R": revocation = (revocation ?? 0) | (try Self.flag(option.value))
                case "P": showsChain = true
                case "q": isQuiet = true
                case "N", "L", "l", "C", "t", "v": continue
                default: throw .usage
                }
            }
            try invocation.checkOptions(syntax)
            policies = [(policy ?? .basicX509).named(name)] + (revocation.map { [.revocation($0)] } ?? [])
        }

        /// The flag of `SecPolicyCreateRevocation` for a way to check.
        private static func flag(_ word: Word) throws(CommandFailure) -> UInt64 {
            switch word.text {
            case "ocsp"?: return 1 << 0
            case "crl"?: return 1 << 1
            case "require"?: return 1 << 3 | 3
            case "offline"?: return 1 << 4
            default: throw .usage
            }
        }
    }
}

/// The date of `-d`: `YYYY-MM-DD-hh:mm:ss` in UTC.
enum VerificationDate {
    /// The time; `nil` for anything else.
    static func timestamp(_ text: String) -> Timestamp? {
        let fields = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == ":" }
        guard fields.map(\.utf8.count) == [4, 2, 2, 2, 2, 2],
            text.utf8.filter({ $0 == UInt8(ascii: ":") }).count == 2,
            fields.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } })
        else { return nil }
        return CertificateTime.timestamp(generalizedTime: fields.joined() + "Z")
    }
}
