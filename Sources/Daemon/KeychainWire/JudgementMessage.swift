// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A question whether a certificate is trusted, as bytes for a process that evaluates certificates.
///
/// Question and verdict are frames like those of ``WireMessage``, with their length in front.
package struct JudgementQuestion: Sendable, Hashable {
    /// The certificate in DER.
    package var certificate: [UInt8]
    /// Certificates in DER that may stand between it and an anchor.
    package var others: [[UInt8]]
    /// The purpose of the evaluation.
    package var policy: CertificatePolicy
    /// When it is to be valid.
    package var date: Timestamp

    /// A question.
    package init(_ certificate: [UInt8], others: [[UInt8]], for policy: CertificatePolicy, at date: Timestamp) {
        self.certificate = certificate
        self.others = others
        self.policy = policy
        self.date = date
    }

    /// The question of a whole frame, and of nothing else.
    ///
    /// - Throws: ``WireError``.
    package init(frame: UnsafeRawBufferPointer) throws(WireError) { self = try WireReader.value(ofFrame: frame) }

    /// The whole frame.
    ///
    /// - Throws: ``WireError/tooLong``.
    package func encoded() throws(WireError) -> SecretBytes { try WireWriter.frame(of: self) }
}

/// The answer to a ``JudgementQuestion``.
package enum JudgementVerdict: Sendable, Hashable {
    /// Whether the certificate is trusted.
    case trusts(Bool)
    /// It could not be evaluated.
    case failure(KeychainError)

    /// The verdict of a whole frame, and of nothing else.
    ///
    /// - Throws: ``WireError``.
    package init(frame: UnsafeRawBufferPointer) throws(WireError) { self = try WireReader.value(ofFrame: frame) }

    /// The whole frame.
    ///
    /// - Throws: ``WireError/tooLong``.
    package func encoded() throws(WireError) -> SecretBytes { try WireWriter.frame(of: self) }
}

extension JudgementQuestion: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        let others = others.map { SecretBytes($0) }
        try writer.write(values: SecretBytes(certificate), others, policy, date)
    }

    init(from reader: inout WireReader) throws(WireError) {
        let certificate = try reader.value(SecretBytes.self).unprotectedCopy
        let others = try reader.value([SecretBytes].self).map(\.unprotectedCopy)
        try self.init(certificate, others: others, for: reader.value(), at: reader.value())
    }
}

extension JudgementVerdict: WireValue {
    func write(to writer: inout WireWriter) throws(WireError) {
        switch self {
        case .trusts(let isTrusted): try writer.write(case: 1, isTrusted)
        case .failure(let error): try writer.write(case: 2, error)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.tag() {
        case 1: self = try .trusts(reader.value())
        case 2: self = try .failure(reader.value())
        default: throw .unknownCase
        }
    }
}

extension WireWriter {
    /// A value prefixed with its length.
    fileprivate static func frame(of value: some WireValue) throws(WireError) -> SecretBytes {
        var writer = WireWriter()
        try writer.write(UInt32(0))
        try value.write(to: &writer)
        writer.overwrite(UInt32(writer.byteCount - WireMessage.headerByteCount), at: 0)
        return writer.finish()
    }
}

extension WireReader {
    /// The value after its length.
    fileprivate static func value<Value: WireValue>(ofFrame frame: UnsafeRawBufferPointer) throws(WireError) -> Value {
        var reader = WireReader(frame)
        let length = try WireMessage.bodyLength(reader.bytes(WireMessage.headerByteCount))
        guard length == frame.count - WireMessage.headerByteCount else { throw .invalidValue }
        let value = try reader.value(Value.self)
        guard reader.isAtEnd else { throw .trailingBytes }
        return value
    }
}
