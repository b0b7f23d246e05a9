// SPDX-License-Identifier: Apache-2.0

/// The interfaces of the service's objects.
enum Interface: String, Sendable, CaseIterable {
    case service = "org.freedesktop.Secret.Service"
    case collection = "org.freedesktop.Secret.Collection"
    case item = "org.freedesktop.Secret.Item"
    case session = "org.freedesktop.Secret.Session"
    case prompt = "org.freedesktop.Secret.Prompt"
    case properties = "org.freedesktop.DBus.Properties"
    case introspectable = "org.freedesktop.DBus.Introspectable"
    /// Answered by sd-bus itself.
    case peer = "org.freedesktop.DBus.Peer"

    /// The interface of an object by which it is told from others.
    init(of object: ObjectPath) {
        self =
            switch object {
            case .service: .service
            case .collection, .alias: .collection
            case .item: .item
            case .session: .session
            case .prompt: .prompt
            }
    }

    /// Those that every object has.
    var isCommon: Bool { self == .properties || self == .introspectable || self == .peer }
}

/// The methods that the service answers, and what they take and return.
enum Method: Sendable, CaseIterable {
    case openSession
    case createCollection
    case searchItems
    case unlock
    case lock
    case getSecrets
    case readAlias
    case setAlias
    case deleteCollection
    case searchCollection
    case createItem
    case deleteItem
    case getSecret
    case setSecret
    case closeSession
    case prompt
    case dismiss
    case getProperty
    case getAllProperties
    case setProperty
    case introspect

    /// What is known of a method.
    struct Row: Sendable {
        let interface: Interface
        let name: String
        /// Names and types.
        let inputs: KeyValuePairs<String, String>
        let outputs: KeyValuePairs<String, String>

        init(
            _ interface: Interface,
            _ name: String,
            takes inputs: KeyValuePairs<String, String> = [:],
            returns outputs: KeyValuePairs<String, String> = [:]
        ) {
            self.interface = interface
            self.name = name
            self.inputs = inputs
            self.outputs = outputs
        }

        /// The types of all arguments.
        var signature: String { inputs.map(\.value).joined() }
    }

    /// What is known of it.
    var row: Row {
        switch self {
        case .openSession:
            Row(
                .service,
                "OpenSession",
                takes: ["algorithm": "s", "input": "v"],
                returns: ["output": "v", "result": "o"]
            )
        case .createCollection:
            Row(
                .service,
                "CreateCollection",
                takes: ["properties": "a{sv}", "alias": "s"],
                returns: ["collection": "o", "prompt": "o"]
            )
        case .searchItems:
            Row(.service, "SearchItems", takes: ["attributes": "a{ss}"], returns: ["unlocked": "ao", "locked": "ao"])
        case .unlock: Row(.service, "Unlock", takes: ["objects": "ao"], returns: ["unlocked": "ao", "prompt": "o"])
        case .lock: Row(.service, "Lock", takes: ["objects": "ao"], returns: ["locked": "ao", "prompt": "o"])
        case .getSecrets:
            Row(.service, "GetSecrets", takes: ["items": "ao", "session": "o"], returns: ["secrets": "a{o(oayays)}"])
        case .readAlias: Row(.service, "ReadAlias", takes: ["name": "s"], returns: ["collection": "o"])
        case .setAlias: Row(.service, "SetAlias", takes: ["name": "s", "collection": "o"])
        case .deleteCollection: Row(.collection, "Delete", returns: ["prompt": "o"])
        case .searchCollection:
            Row(.collection, "SearchItems", takes: ["attributes": "a{ss}"], returns: ["results": "ao"])
        case .createItem:
            Row(
                .collection,
                "CreateItem",
                takes: ["properties": "a{sv}", "secret": "(oayays)", "replace": "b"],
                returns: ["item": "o", "prompt": "o"]
            )
        case .deleteItem: Row(.item, "Delete", returns: ["prompt": "o"])
        case .getSecret: Row(.item, "GetSecret", takes: ["session": "o"], returns: ["secret": "(oayays)"])
        case .setSecret: Row(.item, "SetSecret", takes: ["secret": "(oayays)"])
        case .closeSession: Row(.session, "Close")
        case .prompt: Row(.prompt, "Prompt", takes: ["window_id": "s"])
        case .dismiss: Row(.prompt, "Dismiss")
        case .getProperty:
            Row(
                .properties,
                "Get",
                takes: ["interface_name": "s", "property_name": "s"],
                returns: ["value": "v"]
            )
        case .getAllProperties:
            Row(.properties, "GetAll", takes: ["interface_name": "s"], returns: ["properties": "a{sv}"])
        case .setProperty:
            Row(.properties, "Set", takes: ["interface_name": "s", "property_name": "s", "value": "v"])
        case .introspect: Row(.introspectable, "Introspect", returns: ["xml_data": "s"])
        }
    }

    /// The method that is called on an object.
    ///
    /// - Parameters:
    ///   - interface: the name of its interface; empty where the call names none.
    ///   - name: its own name.
    ///   - own: the object's interface.
    /// - Throws: the error by which D-Bus names what is missing.
    init(_ interface: String, _ name: String, of own: Interface) throws(ServiceError) {
        let known = Interface(rawValue: interface)
        guard interface.isEmpty || known == own || known?.isCommon == true else { throw .unknownInterface }
        let method = Self.allCases.first { method in
            let row = method.row
            guard row.name == name else { return false }
            return known.map { $0 == row.interface } ?? (row.interface == own || row.interface.isCommon)
        }
        guard let method else { throw .unknownMethod }
        self = method
    }
}

/// The properties of the service's objects.
enum Property: Sendable, CaseIterable {
    case collections
    case items
    case collectionLabel
    case collectionLocked
    case collectionCreated
    case collectionModified
    case itemLocked
    case itemAttributes
    case itemLabel
    case itemCreated
    case itemModified

    /// What is known of a property.
    struct Row: Sendable {
        let interface: Interface
        let name: String
        let type: String
        var isWritable = false
    }

    /// What is known of it.
    var row: Row {
        switch self {
        case .collections: Row(interface: .service, name: "Collections", type: "ao")
        case .items: Row(interface: .collection, name: "Items", type: "ao")
        case .collectionLabel: Row(interface: .collection, name: "Label", type: "s", isWritable: true)
        case .collectionLocked: Row(interface: .collection, name: "Locked", type: "b")
        case .collectionCreated: Row(interface: .collection, name: "Created", type: "t")
        case .collectionModified: Row(interface: .collection, name: "Modified", type: "t")
        case .itemLocked: Row(interface: .item, name: "Locked", type: "b")
        case .itemAttributes: Row(interface: .item, name: "Attributes", type: "a{ss}", isWritable: true)
        case .itemLabel: Row(interface: .item, name: "Label", type: "s", isWritable: true)
        case .itemCreated: Row(interface: .item, name: "Created", type: "t")
        case .itemModified: Row(interface: .item, name: "Modified", type: "t")
        }
    }

    /// The property of an object.
    ///
    /// - Parameters:
    ///   - interface: the name of its interface; empty for any.
    ///   - name: its own name.
    ///   - own: the object's interface.
    /// - Throws: the error by which D-Bus names what is missing.
    init(_ interface: String, _ name: String, of own: Interface) throws(ServiceError) {
        try Self.check(interface, of: own)
        let property = Self.allCases.first { $0.row.interface == own && $0.row.name == name }
        guard let property, interface.isEmpty || interface == own.rawValue else { throw .unknownProperty }
        self = property
    }

    /// All properties of an object's interface.
    static func all(_ interface: String, of own: Interface) throws(ServiceError) -> [Property] {
        try check(interface, of: own)
        return interface.isEmpty || interface == own.rawValue ? allCases.filter { $0.row.interface == own } : []
    }

    private static func check(_ interface: String, of own: Interface) throws(ServiceError) {
        guard !interface.isEmpty, interface != own.rawValue else { return }
        guard Interface(rawValue: interface)?.isCommon == true else { throw .unknownInterface }
    }
}

/// The signals that the service sends.
enum Signal: Sendable, CaseIterable {
    case collectionCreated
    case collectionDeleted
    case collectionChanged
    case itemCreated
    case itemDeleted
    case itemChanged
    case completed
    case propertiesChanged

    /// Its interface, its name, and names and types of what it carries.
    var row: (interface: Interface, name: String, contents: KeyValuePairs<String, String>) {
        switch self {
        case .collectionCreated: (.service, "CollectionCreated", ["collection": "o"])
        case .collectionDeleted: (.service, "CollectionDeleted", ["collection": "o"])
        case .collectionChanged: (.service, "CollectionChanged", ["collection": "o"])
        case .itemCreated: (.collection, "ItemCreated", ["item": "o"])
        case .itemDeleted: (.collection, "ItemDeleted", ["item": "o"])
        case .itemChanged: (.collection, "ItemChanged", ["item": "o"])
        case .completed: (.prompt, "Completed", ["dismissed": "b", "result": "v"])
        case .propertiesChanged:
            (
                .properties, "PropertiesChanged",
                ["interface_name": "s", "changed_properties": "a{sv}", "invalidated_properties": "as"]
            )
        }
    }
}
