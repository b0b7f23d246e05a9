// SPDX-License-Identifier: Apache-2.0

/// The two forms of an ECDSA signature.
struct ECDSASignature {
    /// r ‖ s, each as long as a coordinate (RFC 4754).
    let raw: [UInt8]

    init(raw: [UInt8]) { self.raw = raw }

    /// A signature in either form; `nil` for other bytes.
    init?(_ bytes: UnsafeRawBufferPointer, as form: KeyAlgorithm.ECDSAForm, on curve: Curve) {
        switch form {
        case .rfc4754:
            guard bytes.count == 2 * curve.coordinateCount else { return nil }
            raw = Array(bytes)
        case .x962:
            guard let raw = try? Self.read(bytes, curve.coordinateCount) else { return nil }
            self.raw = raw
        }
    }

    /// The signature in a form.
    func bytes(_ form: KeyAlgorithm.ECDSAForm) -> [UInt8] {
        switch form {
        case .rfc4754: raw
        case .x962:
            DERWriter.element(
                DERTag.sequence,
                DERWriter.integer(raw.prefix(raw.count / 2)),
                DERWriter.integer(raw.suffix(raw.count / 2))
            )
        }
    }

    private static func read(_ bytes: UnsafeRawBufferPointer, _ count: Int) throws(KeyError) -> [UInt8] {
        var outer = DERReader(bytes)
        var reader = try outer.sequence()
        try outer.end()
        let halves = [try reader.integer(), try reader.integer()]
        try reader.end()
        guard halves.allSatisfy({ $0.count <= count }) else { throw .badEncoding }
        return halves.flatMap { Array(repeating: 0, count: count - $0.count) + $0 }
    }
}
