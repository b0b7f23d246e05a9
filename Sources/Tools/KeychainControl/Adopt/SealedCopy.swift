// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import FoundationEssentials
import Glibc
import KeychainCore

/// What a file was before its secrets were moved, and which items they became: an item of the keychain for each path.
struct SealedCopy {
    /// The absolute path.
    let path: String

    /// The changes of the file, the first one first.
    var layers: [Layer]

    /// One change.
    struct Layer {
        /// What the file was; `nil` if there was none.
        var original: [UInt8]?
        var mode: UInt32
        var seconds: Int
        var nanoseconds: Int

        /// What was written.
        var written: [UInt8]
        var items: [Item] = []

        /// The file that was made to name the helper.
        var companion: String?

        /// The program whose helper was written into the file.
        var program: HelpedProgram?
    }

    /// What became of one secret.
    struct Item {
        let place: CredentialPlace
        let secret: SecretBytes

        /// Whether there was no item, or one with the same secret, or one with another.
        var origin: Origin

        enum Origin: Equatable {
            case added
            case present
            case replaced(SecretBytes)
        }
    }

    /// The most changes of one file.
    static let largestLayerCount = 5

    /// It as the secret of an item.
    var secret: SecretBytes {
        SecretBytes(Array(JSONValue.object(["version": .integer(1), "layers": .array(layers.map(\.json))]).text.utf8))
    }

    /// Reads the secret of an item.
    ///
    /// - Throws: ``Refusal`` for one that is none.
    init(path: String, _ secret: SecretBytes) throws(Refusal) {
        let value = secret.withUnsafeBytes { try? JSONParser.parse($0, limitsMarks: false) }
        let layers = value?["layers"].elements?.map(Layer.init(json:)) ?? []
        guard value?["version"].integer == 1, !layers.isEmpty, !layers.contains(where: { $0 == nil }) else {
            throw Refusal("the sealed copy of \(path.printable) was made by another version, or is damaged")
        }
        (self.path, self.layers) = (path, layers.compactMap(\.self))
    }

    init(path: String, layers: [Layer]) { (self.path, self.layers) = (path, layers) }

    /// Adds a change, or puts it in the place of one that was stored and not carried out.
    mutating func add(_ layer: Layer) throws(Refusal) {
        guard let last = layers.last, last.original == layer.original else {
            guard layers.count < Self.largestLayerCount else {
                throw Refusal("\(path.printable) was changed \(layers.count) times by this command; undo that first")
            }
            layers.append(layer)
            return
        }
        var layer = layer
        // What the first attempt has stored was not there before.
        for index in layer.items.indices where layer.items[index].origin == .present {
            let same = last.items.first {
                $0.place == layer.items[index].place && $0.secret == layer.items[index].secret
            }
            if let same { layer.items[index].origin = same.origin }
        }
        layers[layers.count - 1] = layer
    }
}

extension SealedCopy.Layer {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "mode": .integer(Int(mode)), "seconds": .integer(seconds), "nanoseconds": .integer(nanoseconds),
            "written": .string(Data(written).base64EncodedString()), "items": .array(items.map(\.json)),
        ]
        members["original"] = original.map { .string(Data($0).base64EncodedString()) }
        members["companion"] = companion.map { .string($0) }
        members["program"] = program.map { .string($0.rawValue) }
        return .object(members)
    }

    fileprivate init?(json: JSONValue) {
        guard let mode = json["mode"].integer, let seconds = json["seconds"].integer,
            let nanoseconds = json["nanoseconds"].integer, let written = Self.bytes(json["written"]),
            let items = json["items"].elements?.map(SealedCopy.Item.init(json:)), !items.contains(where: { $0 == nil })
        else { return nil }
        self.init(
            original: Self.bytes(json["original"]),
            mode: UInt32(truncatingIfNeeded: mode),
            seconds: seconds,
            nanoseconds: nanoseconds,
            written: written,
            items: items.compactMap(\.self),
            companion: json["companion"].string,
            program: json["program"].string.flatMap(HelpedProgram.init(rawValue:))
        )
    }

    fileprivate static func bytes(_ json: JSONValue) -> [UInt8]? {
        json.string.flatMap { Data(base64Encoded: $0) }.map(Array.init)
    }
}

extension SealedCopy.Item {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = ["place": place.json, "secret": Self.encoded(secret)]
        switch origin {
        case .added: members["origin"] = .string("added")
        case .present: members["origin"] = .string("present")
        case .replaced(let former): members["former"] = Self.encoded(former)
        }
        return .object(members)
    }

    fileprivate init?(json: JSONValue) {
        guard let place = CredentialPlace(json: json["place"]), let secret = SealedCopy.Layer.bytes(json["secret"])
        else {
            return nil
        }
        let origin: Origin
        switch (json["origin"].string, SealedCopy.Layer.bytes(json["former"])) {
        case (_, let former?): origin = .replaced(SecretBytes(former))
        case ("added", _): origin = .added
        case ("present", _): origin = .present
        default: return nil
        }
        self.init(place: place, secret: SecretBytes(secret), origin: origin)
    }

    private static func encoded(_ secret: SecretBytes) -> JSONValue {
        .string(secret.withUnsafeBytes { Data($0).base64EncodedString() })
    }
}

/// The sealed copies in the keychain.
struct SealedCopies {
    let surroundings: Surroundings

    static let service = "swift-keychain.adopted"

    /// The paths of all.
    func paths() throws(Refusal) -> [String] { try entries().compactMap { $0.text(.account) }.sorted() }

    /// The copy of a file; `nil` if there is none.
    func copy(of path: String) throws(Refusal) -> SealedCopy? {
        guard let entry = try entry(path) else { return nil }
        return try SealedCopy(path: path, try surroundings.secret(of: entry))
    }

    func save(_ copy: SealedCopy) throws(Refusal) {
        let secret = copy.secret
        guard secret.withUnsafeBytes(\.count) <= ItemLimits.secretByteCount else {
            throw Refusal(
                "the copies of \(copy.path.printable) are larger than an item may be; undo the former changes first"
            )
        }
        try surroundings.withItems(in: Client.commonGroup) { (store) throws(KeychainError) in
            try store.put(
                secret,
                in: { () throws(KeychainError) in try Self.entries(store).first { Self.isOf(copy.path, $0) } },
                orNew: .genericPassword,
                [
                    .service: .string(Self.service), .account: .string(copy.path),
                    .label: .string("Sealed copy of \(copy.path)"),
                ]
            )
        }
    }

    func delete(_ path: String) throws(Refusal) {
        guard let entry = try entry(path) else { return }
        try surroundings.withItems { (store) throws(KeychainError) in try store.delete(entry) }
    }

    private func entry(_ path: String) throws(Refusal) -> CredentialStore.Entry? {
        try entries().first { Self.isOf(path, $0) }
    }

    private func entries() throws(Refusal) -> [CredentialStore.Entry] {
        try surroundings.withItems(in: Client.commonGroup) { (store) throws(KeychainError) in try Self.entries(store) }
    }

    private static func entries(_ store: CredentialStore) throws(KeychainError) -> [CredentialStore.Entry] {
        try store.entries(.genericPassword, [.service: service])
    }

    private static func isOf(_ path: String, _ entry: CredentialStore.Entry) -> Bool {
        entry.text(.account)?.hasSameBytes(as: path) ?? false
    }
}
