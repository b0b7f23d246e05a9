// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Where a credential has its item, such that the helper of its program finds it.
package enum CredentialPlace: Hashable, Sendable {
    /// A password of a server, as git's helper keeps it and `keychainctl netrc` writes it.
    case server(ServerAddress, user: String)
    /// A credential of Docker's.
    case registry(DockerKey, user: String)
    /// A generic password.
    case generic(service: String, account: String)

    /// The registry of a credential of Docker's; `nil` for any other.
    package var registry: ServerAddress? {
        guard case .registry(let key, _) = self else { return nil }
        return key.address
    }

    /// The user.
    package var user: String {
        switch self {
        case .server(_, let user), .registry(_, let user): user
        case .generic(_, let account): account
        }
    }

    /// Its name in lists.
    package var name: String {
        switch self {
        case .server(let address, let user): CredentialStore.Entry.name(address.server, user)
        case .registry(let key, let user): CredentialStore.Entry.name(key.text, user)
        case .generic(let service, let account): CredentialStore.Entry.name(service, account)
        }
    }

    /// The class and attributes of a new item.
    package var newItem: (itemClass: ItemClass, attributes: [AttributeName: PropertyValue]) {
        switch self {
        case .server(let address, let user):
            var attributes = address.attributes
            attributes[.account] = .string(user)
            attributes[.label] = .string(address.server)
            // What programs on macOS look for where they are not told otherwise.
            attributes["atyp"] = .string("dflt")
            return (.internetPassword, attributes)
        case .registry(let key, let user):
            var attributes = CredentialStore.dockerAttributes(for: key)
            attributes[.account] = .string(user)
            return (.internetPassword, attributes)
        case .generic(let service, let account):
            return (
                .genericPassword,
                [.service: .string(service), .account: .string(account), .label: .string(service)]
            )
        }
    }

    /// It as a value of JSON, which ``init(json:)`` reads.
    package var json: JSONValue {
        switch self {
        case .server(let address, let user):
            var members: [String: JSONValue] = [
                "scheme": .string(address.scheme), "host": .string(address.host), "user": .string(user),
            ]
            members["port"] = address.port.map { .integer(Int($0)) }
            members["path"] = address.path.map { .string($0) }
            return .object(members)
        case .registry(let key, let user):
            return .object(["registry": .string(key.text), "user": .string(user)])
        case .generic(let service, let account):
            return .object(["service": .string(service), "account": .string(account)])
        }
    }

    /// Reads what ``json`` wrote; `nil` for anything else.
    package init?(json: JSONValue) {
        if let service = json["service"].string, let account = json["account"].string {
            self = .generic(service: service, account: account)
        } else if let name = json["registry"].string, let user = json["user"].string {
            guard let key = try? DockerKey(name) else { return nil }
            self = .registry(key, user: user)
        } else {
            guard let scheme = json["scheme"].string, let host = json["host"].string, let user = json["user"].string
            else { return nil }
            let port = json["port"].integer.flatMap(UInt16.init(exactly:))
            self = .server(ServerAddress(scheme: scheme, host: host, port: port, path: json["path"].string), user: user)
        }
    }
}

extension CredentialStore {
    /// The items of a place, the one that was changed last first; of a registry those of any user, because it has one.
    package func entries(at place: CredentialPlace) throws(KeychainError) -> [Entry] {
        switch place {
        case .server(let address, let user):
            let found = try entries(.internetPassword, [.server: address.server, .account: user]).filter { entry in
                address.isPlace(of: entry) && entry.text("path") == address.path ?? ""
            }
            return try withoutDocker(found)
        case .registry(let key, _): return try dockerEntries(for: key)
        case .generic(let service, let account):
            return try entries(.genericPassword, [.service: service, .account: account])
        }
    }
}
