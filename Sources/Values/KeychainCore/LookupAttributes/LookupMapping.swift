// SPDX-License-Identifier: Apache-2.0

/// How lookup attributes and the columns of an item correspond: one row, seen by item functions and by the Secret
/// Service.
///
/// An item that was stored with lookup attributes has all of them beside its columns; any other item answers with those
/// that its columns give.
package enum LookupMapping {
    /// The name of the schema, which libsecret adds.
    package static let schemaName = "xdg:schema"

    /// The schema of an item of any kind.
    package static let genericSchema = "org.freedesktop.Secret.Generic"

    /// The schema of a password for a server.
    private static let networkSchema = "org.gnome.keyring.NetworkPassword"

    /// Docker's schema, whose server is a URL.
    package static let dockerSchema = "io.docker.Credentials"

    private static let gitSchema = "org.git.Password"

    /// The class of a new item.
    package static func itemClass(of attributes: LookupAttributes) -> ItemClass {
        let schema = attributes[schemaName] ?? ""
        return [networkSchema, gitSchema, dockerSchema].contains { $0.hasSameBytes(as: schema) }
            ? .internetPassword : .genericPassword
    }

    /// Whether a class has items with lookup attributes.
    package static func has(_ itemClass: ItemClass) -> Bool { !columns(of: itemClass).isEmpty }

    /// The classes that have items with lookup attributes.
    package static let classes = ItemClass.stored.filter(has)

    // MARK: - The table

    /// A column, and the names that give its value: the first one that is present.
    private struct Row {
        let column: AttributeName
        /// The first one is the name in the attributes of an item without any of its own.
        let names: [String]
        let form: Form
        /// The first of the names, by which a search finds items without lookup attributes of their own; none for a
        /// column that these do not have.
        let searched: ArraySlice<String>

        init(_ column: AttributeName, _ names: [String], as form: Form = .text, searched count: Int = 1) {
            (self.column, self.names, self.form, searched) = (column, names, form, names.prefix(count))
        }

        /// Whether items without lookup attributes of their own have it.
        var isDerived: Bool { !searched.isEmpty }

        /// The first of the names that is present.
        func name(in attributes: LookupAttributes) -> String? { names.first { attributes[$0] != nil } }

        /// Whether a search for the name finds items without lookup attributes of their own.
        func isSearched(by name: String) -> Bool { searched.contains { $0.hasSameBytes(as: name) } }
    }

    /// How a column holds the text of a lookup attribute.
    private enum Form {
        case text
        case scheme
        case port
    }

    // Programs call the account by different names; a service that is called otherwise is another thing.
    private static let genericRows = [
        Row(.service, ["service", "application", "host"]),
        Row(.account, ["account", "username", "user"], searched: 3),
    ]

    private static let internetRows = [
        Row(.server, ["server"]),
        Row(.account, ["user", "username", "account"], searched: 3),
        Row("ptcl", ["protocol"], as: .scheme),
        Row("port", ["port"], as: .port),
        Row("path", ["object"]),
        Row("sdmn", ["domain"], searched: 0),
        Row("atyp", ["authtype"], searched: 0),
    ]

    private static func rows(of itemClass: ItemClass) -> [Row] {
        switch itemClass {
        case .genericPassword: genericRows
        case .internetPassword: internetRows
        case .certificate, .key, .identity: []
        }
    }

    /// The columns of a class that lookup attributes give.
    package static func columns(of itemClass: ItemClass) -> [AttributeName] { rows(of: itemClass).map(\.column) }

    // MARK: - From lookup attributes to columns

    /// The values of all ``columns(of:)`` of an item that is stored with lookup attributes.
    package static func columnValues(_ attributes: LookupAttributes, of itemClass: ItemClass) -> Attributes {
        var values = Attributes()
        for row in rows(of: itemClass) {
            let text = row.name(in: attributes).flatMap { attributes[$0] }
            values[row.column] = value(text, as: row.form)
        }
        switch itemClass {
        case .genericPassword where genericRows[0].name(in: attributes) == nil:
            // Items of programs that name no service would else be in each other's way.
            values[.service] = .string(attributes[schemaName] ?? "")
        case .internetPassword where isDocker(attributes):
            if let address = dockerAddress(attributes) {
                values[.server] = .string(address.host)
                values["ptcl"] = value(address.scheme, as: .scheme)
                values["port"] = .number(.integer(Int64(address.port ?? 0)))
                values["path"] = .string(address.path ?? "")
            }
        default: break
        }
        return values
    }

    private static func value(_ text: String?, as form: Form) -> AttributeValue {
        let zero = AttributeValue.number(.integer(0))
        switch form {
        case .text: return .string(text ?? "")
        case .scheme:
            let code = text.flatMap(ServerAddress.code(ofScheme:))
            return code.map { .string($0) } ?? zero
        case .port: return .number(.integer(Int64(text.flatMap(ServerAddress.port) ?? 0)))
        }
    }

    private static func isDocker(_ attributes: LookupAttributes) -> Bool {
        attributes[schemaName]?.hasSameBytes(as: dockerSchema) ?? false
    }

    /// The parts of Docker's server, as Docker's helper has them, the path with its slash; `nil` if it is no address.
    private static func dockerAddress(_ attributes: LookupAttributes) -> ServerAddress? {
        guard let text = attributes["server"],
            let parts = ServerAddress.parts(ofURL: text) ?? ServerAddress.parts(ofURL: "https://\(text)"),
            let (host, port) = ServerAddress.hostAndPort(parts.authority)
        else { return nil }
        let path = parts.path.flatMap { $0.isEmpty ? nil : "/\($0)" }
        return ServerAddress(scheme: parts.scheme, host: host, port: port, path: path)
    }

    // MARK: - From columns to lookup attributes

    /// The lookup attributes of an item that has none of its own: its columns without empty ones, and without those
    /// that are not text.
    package static func derived(from columns: Attributes, of itemClass: ItemClass) -> LookupAttributes {
        var attributes = LookupAttributes()
        for row in rows(of: itemClass) where row.isDerived {
            guard let text = text(columns[row.column], of: row, in: itemClass), !text.isEmpty else { continue }
            attributes[row.names[0]] = text
        }
        return attributes
    }

    /// Whether lookup attributes are those of an item that has none of its own, named with its schema or not.
    package static func areDerived(
        _ attributes: LookupAttributes,
        from columns: Attributes,
        of itemClass: ItemClass
    ) -> Bool {
        var attributes = attributes
        if attributes[schemaName]?.hasSameBytes(as: schema(of: itemClass)) == true { attributes[schemaName] = nil }
        return !attributes.isEmpty && attributes == derived(from: columns, of: itemClass)
    }

    /// The schema of items that have no lookup attributes of their own.
    private static func schema(of itemClass: ItemClass) -> String {
        itemClass == .genericPassword ? genericSchema : networkSchema
    }

    /// The text of a column; `nil` for bytes that are no text, and for numbers and codes that have none.
    private static func text(_ value: AttributeValue?, of row: Row, in itemClass: ItemClass) -> String? {
        guard let value, let column = ItemSchema.of(itemClass)[row.column] else { return "" }
        switch (row.form, value) {
        case (.text, _):
            var bytes: [UInt8] = []
            column.appendComparisonForm(of: value, to: &bytes)
            return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
        case (.scheme, .string(let code)): return ServerAddress.scheme(ofCode: code)
        case (.port, .number(let number)):
            guard let port = number.exactInteger.flatMap({ UInt16(exactly: $0) }) else { return nil }
            return port == 0 ? "" : String(port)
        case (.port, .string(let text)): return ServerAddress.port(text).map { $0 == 0 ? "" : String($0) }
        case (_, .number(.integer(0))): return ""
        default: return nil
        }
    }

    /// The lookup attributes of an item whose columns were changed by other means: a column that has another value than
    /// before gives it to the name that its former value came from.
    ///
    /// A value that has no text removes the name.
    package static func updated(
        _ attributes: LookupAttributes,
        of itemClass: ItemClass,
        from former: Attributes,
        to columns: Attributes
    ) -> LookupAttributes {
        let schema = ItemSchema.of(itemClass)
        let changed = rows(of: itemClass).filter { row in
            guard let column = schema[row.column] else { return false }
            switch (former[row.column], columns[row.column]) {
            case (nil, nil): return false
            case (let old?, let new?): return !column.isEqual(old, new)
            default: return true
            }
        }
        var updated = attributes
        let isDocker = itemClass == .internetPassword && isDocker(attributes)
        for row in changed where !(isDocker && dockerParts.contains(row.column)) {
            let text = text(columns[row.column], of: row, in: itemClass)
            let name = row.name(in: attributes)
            // An empty value that no name gave needs none.
            guard name != nil || text?.isEmpty == false else { continue }
            updated[name ?? row.names[0]] = text
        }
        if isDocker, changed.contains(where: { dockerParts.contains($0.column) }) {
            updated["server"] = dockerServer(columns)
        }
        return updated
    }

    private static let dockerParts: [AttributeName] = [.server, "ptcl", "port", "path"]

    private static func dockerServer(_ columns: Attributes) -> String? {
        func part(_ column: AttributeName) -> String {
            let row = internetRows.first { $0.column == column }
            return row.flatMap { text(columns[column], of: $0, in: .internetPassword) } ?? ""
        }
        guard !part(.server).isEmpty else { return nil }
        let scheme = part("ptcl").isEmpty ? "https" : part("ptcl")
        let (port, path) = (part("port"), part("path"))
        return "\(scheme)://\(part(.server))\(port.isEmpty ? "" : ":\(port)")"
            + (path.isEmpty || path.hasPrefix("/") ? path : "/\(path)")
    }

    /// Whether the columns of an item are those that its lookup attributes give, as far as they have text.
    package static func agrees(
        _ attributes: LookupAttributes,
        with columns: Attributes,
        of itemClass: ItemClass
    ) -> Bool {
        let schema = ItemSchema.of(itemClass)
        let expected = columnValues(attributes, of: itemClass)
        return rows(of: itemClass).allSatisfy { row in
            guard let column = schema[row.column], let value = columns[row.column],
                text(value, of: row, in: itemClass) != nil, let other = expected[row.column]
            else { return true }
            return column.isEqual(value, other)
        }
    }

    // MARK: - Searches

    /// The columns by which items without lookup attributes of their own satisfy a search: an item that has each of
    /// these values does, and every one if there are no values.
    ///
    /// - Returns: `nil` if no item of the class does.
    package static func conditions(_ search: LookupAttributes, of itemClass: ItemClass) -> Attributes? {
        var conditions = Attributes()
        for pair in search.pairs {
            if pair.name.hasSameBytes(as: schemaName) {
                guard pair.value.hasSameBytes(as: schema(of: itemClass)) else { return nil }
                continue
            }
            guard let row = rows(of: itemClass).first(where: { $0.isSearched(by: pair.name) }),
                let condition = condition(pair.value, as: row.form)
            else { return nil }
            guard conditions[row.column].map({ $0 == condition }) ?? true else { return nil }
            conditions[row.column] = condition
        }
        return has(itemClass) ? conditions : nil
    }

    /// The only value of a column whose text is this one; `nil` if there is none.
    private static func condition(_ text: String, as form: Form) -> AttributeValue? {
        guard !text.isEmpty else { return nil }
        switch form {
        case .text: return .string(text)
        case .scheme: return ServerAddress.code(ofScheme: text).map { .string($0) }
        case .port:
            guard let port = ServerAddress.port(text), port != 0, String(port).hasSameBytes(as: text) else {
                return nil
            }
            return .number(.integer(Int64(port)))
        }
    }

    /// The content type of a secret that was stored without one: without the name of a character set, because libsecret
    /// takes nothing else for a password.
    package static func contentType(of secret: SecretBytes) -> String {
        let isText = secret.withUnsafeBytes { String(validating: $0, as: UTF8.self) != nil }
        return isText ? "text/plain" : "application/octet-stream"
    }
}
