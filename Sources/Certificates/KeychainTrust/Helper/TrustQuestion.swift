// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore
import KeychainPropertyLists

/// What a program asks of a ``TrustHelper``, as an XML property list: to evaluate a request, or for the system's
/// anchors.
struct TrustQuestion: Codable {
    /// The version of questions and answers.
    static let version = 1

    private var version = Self.version
    private var request: Request?

    /// The members of a ``TrustRequest``; certificates and OCSP responses in DER, settings and exceptions as in files.
    private struct Request: Codable {
        var certificates: [Data]
        var policies: [CertificatePolicy]
        var anchors: [Data]
        var usesSystemAnchors: Bool
        var date: Double
        var settings: [Data]
        var ocspResponses: [Data]
        var exceptions: Data?
        var allowsExpired: Bool
        var allowsExpiredRoot: Bool
        var hasImplicitAnchors: Bool
    }

    /// Asks for an evaluation; without a request, for the system's anchors.
    init(_ request: TrustRequest?) {
        self.request = request.map { request in
            Request(
                certificates: request.certificates.map { Data($0) },
                policies: request.policies,
                anchors: request.anchors.map { Data($0) },
                usesSystemAnchors: request.usesSystemAnchors,
                date: request.date.secondsSinceReferenceDate,
                settings: request.settings.map(\.propertyList),
                ocspResponses: request.ocspResponses.map { Data($0) },
                exceptions: request.exceptions?.encoding,
                allowsExpired: request.allowsExpired,
                allowsExpiredRoot: request.allowsExpiredRoot,
                hasImplicitAnchors: request.hasImplicitAnchors
            )
        }
    }

    /// The question of an encoding.
    ///
    /// - Throws: `errSecParam` for bytes that are none, or one of another version.
    init(encoding: Data) throws(KeychainError) { self = try TrustMessage.decode(encoding, \.version) }

    /// The encoding.
    var encoding: Data { TrustMessage.encode(self) }

    /// The request; `nil` where the system's anchors are asked for.
    ///
    /// - Throws: the error of settings that are invalid; `errSecParam` for exceptions that are.
    func trustRequest() throws(KeychainError) -> TrustRequest? {
        guard let request else { return nil }
        var result = TrustRequest(
            certificates: request.certificates.map { Array($0) },
            policies: request.policies,
            date: Timestamp(secondsSinceReferenceDate: request.date)
        )
        result.anchors = request.anchors.map { Array($0) }
        result.usesSystemAnchors = request.usesSystemAnchors
        for settings in request.settings { result.settings.append(try TrustSettings(propertyList: settings)) }
        result.ocspResponses = request.ocspResponses.map { Array($0) }
        if let encoding = request.exceptions {
            guard let exceptions = TrustExceptions(encoding: encoding) else { throw TrustMessage.invalid }
            result.exceptions = exceptions
        }
        result.allowsExpired = request.allowsExpired
        result.allowsExpiredRoot = request.allowsExpiredRoot
        result.hasImplicitAnchors = request.hasImplicitAnchors
        return result
    }
}

/// The answer to a ``TrustQuestion``.
struct TrustAnswer: Codable {
    private var version = TrustQuestion.version
    private var certificates: [Data] = []
    private var findings: [Finding] = []
    private var isDecidedByUser = false
    private var isRevocationChecked = false
    private var failure: Failure?

    private struct Finding: Codable {
        var position: Int
        var defect: TrustDefect
    }

    private struct Failure: Codable {
        var status: Int32
        var reason: String
    }

    /// An evaluation.
    init(_ evaluation: TrustEvaluation) {
        certificates = evaluation.chain.map { Data($0) }
        findings = evaluation.findings.map { Finding(position: $0.position, defect: $0.defect) }
        isDecidedByUser = evaluation.isDecidedByUser
        isRevocationChecked = evaluation.isRevocationChecked
    }

    /// The system's anchors, in DER.
    init(anchors: [[UInt8]]) { certificates = anchors.map { Data($0) } }

    /// What could not be done.
    init(_ error: KeychainError) { failure = Failure(status: error.status.rawValue, reason: error.reason) }

    /// The answer of an encoding.
    ///
    /// - Throws: `errSecParam` for bytes that are none, or one of another version.
    init(encoding: Data) throws(KeychainError) { self = try TrustMessage.decode(encoding, \.version) }

    /// The encoding.
    var encoding: Data { TrustMessage.encode(self) }

    /// The evaluation.
    ///
    /// - Throws: what could not be done.
    func evaluation() throws(KeychainError) -> TrustEvaluation {
        // An evaluated certificate is in its own chain; without it, there is no verdict.
        let chain = try anchors()
        guard !chain.isEmpty || !findings.isEmpty else { throw TrustMessage.invalid }
        var evaluation = TrustEvaluation(chain: chain)
        evaluation.findings = findings.map { .init(position: $0.position, defect: $0.defect) }
        evaluation.isDecidedByUser = isDecidedByUser
        evaluation.isRevocationChecked = isRevocationChecked
        return evaluation
    }

    /// The system's anchors.
    ///
    /// - Throws: what could not be done.
    func anchors() throws(KeychainError) -> [[UInt8]] {
        if let failure { throw KeychainError(Status(rawValue: failure.status), failure.reason, kind: .unavailable) }
        return certificates.map { Array($0) }
    }
}

/// The encoding of questions and answers.
private enum TrustMessage {
    static let invalid = KeychainError(.parameter, "this version knows no such message", kind: .request)

    static func encode(_ message: some Encodable) -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        // Such a message can always be written.
        return (try? encoder.encode(message)) ?? Data()
    }

    static func decode<Message: Decodable>(
        _ encoding: Data,
        _ version: KeyPath<Message, Int>
    ) throws(KeychainError) -> Message {
        guard PropertyListShape.isHarmlessXML(encoding),
            let message = try? PropertyListDecoder().decode(Message.self, from: encoding),
            message[keyPath: version] == TrustQuestion.version
        else { throw invalid }
        return message
    }
}
