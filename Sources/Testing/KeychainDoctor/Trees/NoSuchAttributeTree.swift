// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Tree T7: an attribute that the class does not have (`errSecNoSuchAttr`).
enum NoSuchAttributeTree {
    static func diagnosis(_ examination: Examination) -> Diagnosis {
        let faults = examination.explanation.faults.filter { $0.error.status == .noSuchAttribute }
        guard let first = faults.first else { return Diagnosis(.noSuchAttrUnexplained, path: ["T7.3"]) }
        let isUpdate = examination.function == .update
        let side = first.part == .query ? "query" : "update"
        let keys = faults.filter { $0.part == first.part }
            .flatMap { InvalidQuery.entries(of: $0, examination.call) }
        func found(_ verdict: VerdictID, path: [String], keys: [String]) -> Diagnosis {
            Diagnosis(
                verdict,
                path: path,
                names: [.attribute: keys, .side: isUpdate ? [side] : []],
                confidence: VerdictConfidence.certain,
                because: keys.prefix(3).map { reason($0, examination.explanation.search?.itemClass) }
            )
        }
        let noAttributes = keys.filter { isNoAttribute($0) }
        if side == "update", !noAttributes.isEmpty { return found(.queryInvalid, path: ["T7.1"], keys: noAttributes) }
        let ofOtherClasses = keys.filter { !classes(with: $0).isEmpty }
        if !ofOtherClasses.isEmpty { return found(.attributeNotInClass, path: ["T7.1", "T7.2"], keys: ofOtherClasses) }
        return found(.noSuchAttrUnexplained, path: ["T7.1", "T7.2", "T7.3"], keys: keys)
    }

    /// An entry that names a class, a match, a return, a use or a reference.
    private static func isNoAttribute(_ key: String) -> Bool {
        key == PropertyKey.itemClass || ["m_", "r_", "u_", "v_"].contains { key.hasPrefix($0) }
    }

    /// The stored classes that have an attribute.
    static func classes(with key: String) -> [ItemClass] {
        guard let name = AttributeName(key) else { return [] }
        return ItemClass.stored.filter { ItemSchema.of($0)[name] != nil }
    }

    /// Why an attribute is out of place, and what to use instead.
    private static func reason(_ key: String, _ itemClass: ItemClass?) -> String {
        let classes = classes(with: key).map(\.rawValue).joined(separator: ", ")
        let place = classes.isEmpty ? "an attribute of no class" : "an attribute of \(classes)"
        return "\(key) is \(place)" + (substitute(key, itemClass).map { "; \($0)" } ?? "")
    }

    /// The closest substitute for an attribute that a class does not have.
    static func substitute(_ key: String, _ itemClass: ItemClass?) -> String? {
        switch (key, itemClass) {
        case ("atag", .genericPassword?): "use account or service"
        case ("atag", .internetPassword?): "use account or server"
        case ("atag", .certificate?), ("klbl", .certificate?): "use the label, or issuer and serial number"
        case ("desc", _), ("icmt", _): "description and comment are for passwords"
        case ("svce", .internetPassword?), ("gena", .internetPassword?): "use server or security domain"
        case ("srvr", .genericPassword?), ("port", .genericPassword?), ("path", .genericPassword?),
            ("ptcl", .genericPassword?), ("sdmn", .genericPassword?), ("atyp", .genericPassword?):
            "use service, or store an internet password"
        case ("acct", .key?), ("svce", .key?): "use the application tag"
        case ("acct", .certificate?), ("svce", .certificate?): "use the label; it is derived where you set none"
        default: nil
        }
    }
}
