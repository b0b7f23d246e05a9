// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore
import KeychainTrace

/// A password as lists and JSON show it, without its secret.
extension CredentialStore.Entry {
    var passwordClass: PasswordClass { PasswordClass(itemClass) ?? .generic }

    /// The service of a generic password, the server of an internet password; what is not UTF-8 is replaced.
    var service: String { shownText(passwordClass.service) }

    var account: String { shownText(.account) }

    var accessGroup: String { text(.accessGroup) ?? "" }

    /// The name that means it on a command line.
    var name: String { Self.name(service, account) }

    private func shownText(_ name: AttributeName) -> String {
        guard case .data(let bytes)? = attributes[name.description] else { return text(name) ?? "" }
        return String(decoding: bytes.unprotectedCopy, as: UTF8.self)
    }

    var isSynchronizable: Bool {
        switch attributes[AttributeName.synchronizable.description] {
        case .boolean(let flag)?: flag
        case .number(let number)?: number.exactInteger == 1
        default: false
        }
    }

    private var accessibility: Accessibility? { text(.accessible).flatMap(Accessibility.init(rawValue:)) }

    /// The choice that means this item alone: its class and its primary key.
    var choice: ItemChoice {
        var choice = ItemChoice(
            service: service,
            account: account,
            itemClass: itemClass,
            group: accessGroup,
            isSynchronizable: isSynchronizable
        )
        guard itemClass == .internetPassword else { return choice }
        for part in AddressPart.allCases { choice.address[part] = part.text(of: self) ?? "" }
        return choice
    }

    /// The reference that means this item alone; `nil` if a part of its primary key is not UTF-8.
    var reference: String? { hasReference ? SecretReference(choice).text : nil }

    /// Whether there is one, which is found out faster than the reference.
    var hasReference: Bool {
        let parts = itemClass == .internetPassword ? AddressPart.allCases : []
        return text(passwordClass.service) != nil && text(.account) != nil && text(.accessGroup) != nil
            && parts.allSatisfy { $0.text(of: self) != nil }
    }

    /// What tells it from others of its name.
    var distinction: String {
        var parts = ["service '\(service.printable)'", "account '\(account.printable)'", passwordClass.rawValue]
        parts.append("group '\(accessGroup.printable)'")
        if let address { parts.append("at \(address.printable)") }
        if isSynchronizable { parts.append("synchronizable") }
        if let needs { parts.append("read with \(needs)") }
        return parts.joined(separator: ", ")
    }

    /// What its access control asks of its user, in words; `nil` if it has none.
    var needs: String? {
        guard isGuarded, let constraints = accessControl?.constraints else { return nil }
        let words = Self.authentications.filter { constraints.required.contains($0.flag) }.map(\.words)
        return words.joined(separator: constraints.anyOneSuffices ? " or " : " and ")
    }

    /// The access control, if it was made from flags.
    private var accessControl: AccessControl? {
        guard case .accessControl(let control)? = attributes[AttributeName.accessControl.description] else {
            return nil
        }
        return control.constraints == nil ? nil : control
    }

    private static let authentications: [(flag: AccessControlFlags, words: String)] = [
        (.userPresence, "the passcode or biometry"), (.devicePasscode, "the passcode"), (.biometryAny, "biometry"),
        (.biometryCurrentSet, "the enrolled biometry"), (.companion, "a companion device"),
        (.applicationPassword, "the item's password"),
    ]

    /// Protocol, port and path of an internet password, and whatever else it has.
    private var address: String? {
        guard itemClass == .internetPassword else { return nil }
        func part(_ part: AddressPart) -> String { part.text(of: self) ?? "?" }
        var text = part(.scheme)
        if !part(.port).isEmpty { text += ":\(part(.port))" }
        if !part(.path).isEmpty { text += part(.path).hasPrefix("/") ? part(.path) : "/\(part(.path))" }
        // Every item of 'security' has the default authentication type.
        for other in [AddressPart.domain, .authentication] where !["", "dflt"].contains(part(other)) {
            text += "\(text.isEmpty ? "" : " ")\(other.rawValue) \(part(other))"
        }
        return text.isEmpty ? nil : text
    }

    /// The cells of a list: name, class and address, group, day of the last change.
    var cells: [String] {
        let day = date(.modificationDate).map(TimeText.day) ?? ""
        var place = address.map { "\(passwordClass.rawValue) \($0)" } ?? passwordClass.rawValue
        if isGuarded { place += " (asks)" }
        return [name, place, accessGroup, day].map(Self.shown)
    }

    /// A text as a terminal may show it; most have nothing that it may not, and lists are long.
    private static func shown(_ text: String) -> String {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text : text.printable
    }

    /// The attributes that have values, with their names.
    var rows: [(name: String, value: String)] {
        let texts: [(String, String?)] = [
            ("Service", service), ("Account", account), ("Label", text(.label)), ("Kind", text("desc")),
            ("Comment", text("icmt")), ("Address", address), ("Class", passwordClass.rawValue),
            ("Group", accessGroup), ("Readable", accessibility?.constantName),
            ("Read with", needs), ("Synchronizable", isSynchronizable ? "yes" : "no"),
            ("Created", date(.creationDate).map(TimeText.text)),
            ("Changed", date(.modificationDate).map(TimeText.text)),
            ("Reference", reference),
        ]
        return texts.compactMap { name, value in
            guard let value, !value.isEmpty else { return nil }
            return (name, value.printable)
        }
    }

    /// The members of its JSON object.
    var json: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "class": .string(passwordClass.rawValue), "service": .string(service), "account": .string(account),
            "accessGroup": .string(accessGroup), "synchronizable": .boolean(isSynchronizable),
        ]
        let texts: [(String, String?)] = [
            ("label", text(.label)), ("description", text("desc")), ("comment", text("icmt")),
            ("accessible", accessibility?.constantName), ("created", date(.creationDate).map(TimeText.text)),
            ("modified", date(.modificationDate).map(TimeText.text)),
            ("reference", reference),
        ]
        for (name, value) in texts where value?.isEmpty == false { members[name] = value.map { .string($0) } }
        if let constraints = accessControl?.constraints {
            let flags = CaseNotation.flags.filter { constraints.flags.contains($0.flag) }
            members["accessControl"] = .strings(flags.map(\.name))
        }
        guard itemClass == .internetPassword else { return members }
        let names: [(AddressPart, String)] = [
            (.scheme, "protocol"), (.path, "path"), (.domain, "securityDomain"),
            (.authentication, "authenticationType"),
        ]
        for (part, name) in names {
            guard let text = part.text(of: self), !text.isEmpty else { continue }
            members[name] = .string(text)
        }
        if number("port") != 0 { members["port"] = .integer(Int(number("port"))) }
        return members
    }
}
