// SPDX-License-Identifier: Apache-2.0

public import PortableSecurity

/// A password for a server.
public struct InternetPassword: KeychainItem {
    /// The whole primary key.
    public let key: ItemKey

    /// Creates a password item for a server.
    ///
    /// - Parameters:
    ///   - server: the host's name.
    ///   - account: the account.
    ///   - transferProtocol: one of the constants `kSecAttrProtocol…`, such as `kSecAttrProtocolHTTPS`; `nil` for none.
    ///   - port: the port; 0 for none.
    ///   - path: the path on the server.
    ///   - securityDomain: the realm.
    ///   - authenticationType: one of the constants `kSecAttrAuthenticationType…`; `nil` for none.
    ///   - accessGroup: the access group; `nil` for the app's default group.
    ///   - isSynchronizable: whether it is in the set that iCloud Keychain synchronizes.
    public init(
        server: String,
        account: String = "",
        transferProtocol: CFString? = nil,
        port: Int = 0,
        path: String = "",
        securityDomain: String = "",
        authenticationType: CFString? = nil,
        accessGroup: String? = nil,
        isSynchronizable: Bool = false
    ) {
        var attributes: [String: ItemKey.Value] = [
            kSecAttrServer as String: .text(server),
            kSecAttrAccount as String: .text(account),
            kSecAttrPort as String: .number(port),
            kSecAttrPath as String: .text(path),
            kSecAttrSecurityDomain as String: .text(securityDomain),
        ]
        attributes[kSecAttrProtocol as String] = transferProtocol.map { .text($0 as String) }
        attributes[kSecAttrAuthenticationType as String] = authenticationType.map { .text($0 as String) }
        key = ItemKey(
            .internetPassword,
            attributes,
            accessGroup: accessGroup,
            isSynchronizable: isSynchronizable
        )
    }

    /// The password of a primary key; `nil` for a key of another class.
    public init?(key: ItemKey) {
        guard key.itemClass == .internetPassword else { return nil }
        self.key = key
    }

    /// The host's name.
    public var server: String { key.attributes[kSecAttrServer as String]?.text ?? "" }

    /// Whose it is.
    public var account: String { key.attributes[kSecAttrAccount as String]?.text ?? "" }

    /// The path on the server.
    public var path: String { key.attributes[kSecAttrPath as String]?.text ?? "" }

    /// The realm.
    public var securityDomain: String { key.attributes[kSecAttrSecurityDomain as String]?.text ?? "" }

    /// The port; 0 for none.
    public var port: Int {
        guard case .number(let port)? = key.attributes[kSecAttrPort as String] else { return 0 }
        return port
    }

    /// The protocol, as the text of a constant `kSecAttrProtocol…`; `nil` for none.
    public var transferProtocol: String? {
        switch key.attributes[kSecAttrProtocol as String] {
        case nil, .number(0)?: nil
        case let value?: value.text
        }
    }

    /// The way to authenticate, as the text of a constant `kSecAttrAuthenticationType…`; `nil` for none.
    public var authenticationType: String? {
        guard let text = key.attributes[kSecAttrAuthenticationType as String]?.text, !text.isEmpty else { return nil }
        return text
    }
}
