// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainSimulation
import KeychainTestSupport

/// Keys and certificates as the engine sees them: attributes and bytes, which need not be those of real ones.
enum Fixture {
    /// The hash of a public key, known by a number.
    static func hash(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 20) }

    /// What a `SecKey` brings (Semantics, "Attributes of a key").
    static func key(
        _ number: UInt8,
        isPublic: Bool = false,
        _ more: [String: PropertyValue] = [:],
        context: AuthenticationContext? = nil
    ) -> KeyReference {
        var attributes: [String: PropertyValue] = [
            "kcls": .string(isPublic ? "0" : "1"), "type": .string("73"), "bsiz": .number(.integer(256)),
            "esiz": .number(.integer(256)), "klbl": .data(SecretBytes(hash(number))),
        ]
        for name in ["perm", "priv", "modi", "extr"] { attributes[name] = .boolean(true) }
        for name in ["sens", "asen", "next", "snrc", "vyrc"] { attributes[name] = .boolean(false) }
        for name in ["sign", "decr", "drve", "unwp"] { attributes[name] = .boolean(!isPublic) }
        for name in ["vrfy", "encr", "wrap"] { attributes[name] = .boolean(isPublic) }
        return KeyReference(
            attributes: attributes.merging(more) { $1 },
            data: SecretBytes(Array("\(isPublic ? "public" : "private") key \(number)".utf8)),
            context: context
        )
    }

    /// What a `SecCertificate` brings (Semantics, "Computed attributes"); its serial number is the number of its key.
    static func certificate(
        _ number: UInt8,
        serial: UInt8? = nil,
        issuer: String = "issuer",
        subject: String = "subject"
    ) -> CertificateReference {
        CertificateReference(
            attributes: [
                "ctyp": .number(.integer(3)), "cenc": .number(.integer(3)), "issr": name(issuer), "subj": name(subject),
                "slnr": .data(SecretBytes([serial ?? number])), "pkhh": .data(SecretBytes(hash(number))),
            ],
            data: SecretBytes(Array("certificate \(serial ?? number) of key \(number)".utf8)),
            subjectSummary: subject
        )
    }

    static func identity(_ number: UInt8, serial: UInt8? = nil) -> IdentityReference {
        IdentityReference(certificate: certificate(number, serial: serial), key: key(number))
    }

    /// The content of a name, as it is stored.
    static func name(_ text: String) -> PropertyValue { .data(SecretBytes(Array(nameSequence(text).dropFirst(2)))) }

    /// A name as a DER SEQUENCE; short enough for a length of one byte.
    static func nameSequence(_ text: String) -> [UInt8] { CertificateMaker.name(text) }
}

/// What a call gave.
enum Outcome: Hashable {
    case answered(KeychainAnswer)
    case failed(Status)

    static let done = Outcome.answered(.nothing)

    /// The values of an answer.
    var values: [ResultValue] {
        if case .answered(let answer) = self { answer.values } else { [] }
    }

    /// The entries of an answer that is one dictionary.
    var dictionary: [String: PropertyValue]? {
        guard case .dictionary(let entries)? = values.first else { return nil }
        return entries
    }

    /// The bytes of an answer that is data.
    var data: SecretBytes? {
        guard case .data(let data)? = values.first else { return nil }
        return data
    }

    var status: Status {
        guard case .failed(let status) = self else { return .success }
        return status
    }
}

/// The four functions, called with dictionaries as the engine gets them.
struct Calls {
    var backend: any KeychainBackend
    var client = Client(accessGroups: ["group.one", "group.two"])

    /// A keychain in memory, on a device with a passcode.
    static func withDevice(_ storage: VirtualDevice.Storage = .memory) throws -> (VirtualDevice, Calls) {
        let device = try VirtualDevice(storage: storage)
        return (device, Calls(backend: device.keychain))
    }

    func add(_ reference: ItemReference, _ more: [String: PropertyValue] = [:]) -> Outcome {
        perform(.add(PropertyDictionary(["v_Ref": .reference(reference)] + more)))
    }

    func copy(_ query: [String: PropertyValue]) -> Outcome { perform(.copyMatching(PropertyDictionary(query))) }

    func update(_ query: [String: PropertyValue], _ changes: [String: PropertyValue]) -> Outcome {
        perform(.update(PropertyDictionary(query), attributes: PropertyDictionary(changes)))
    }

    func delete(_ query: [String: PropertyValue]) -> Outcome { perform(.delete(PropertyDictionary(query))) }

    func perform(_ operation: KeychainRequest.Operation) -> Outcome {
        do throws(KeychainError) {
            return .answered(try backend.perform(KeychainRequest(operation, client: client)))
        } catch {
            return .failed(error.status)
        }
    }

    /// How many items of a class there are, of either kind of synchronizability.
    func count(_ itemClass: ItemClass) -> Int {
        copy(.every(itemClass) + ["sync": .string("syna"), "r_PersistentRef": .boolean(true)]).values.count
    }
}

extension [String: PropertyValue] {
    static func reference(_ reference: ItemReference) -> Self { ["v_Ref": .reference(reference)] }

    static func one(_ itemClass: ItemClass) -> Self { ["class": .string(itemClass.rawValue)] }

    static func every(_ itemClass: ItemClass) -> Self { one(itemClass) + ["m_Limit": .string("m_LimitAll")] }

    static let asReference: Self = ["r_Ref": .boolean(true)]
    static let asData: Self = ["r_Data": .boolean(true)]
    static let asAttributes: Self = ["r_Attributes": .boolean(true)]
    static let asPersistentReference: Self = ["r_PersistentRef": .boolean(true)]
}
