// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// The protocols a browser stores passwords for.
enum InternetProtocol: String, CaseIterable {
    case ftp, http, https, httpProxy, httpsProxy, imap, imaps, ldap, pop3, pop3s, smb, smtp, ssh, telnet

    var rawAttribute: CFString {
        switch self {
        case .ftp: return kSecAttrProtocolFTP
        case .http: return kSecAttrProtocolHTTP
        case .https: return kSecAttrProtocolHTTPS
        case .httpProxy: return kSecAttrProtocolHTTPProxy
        case .httpsProxy: return kSecAttrProtocolHTTPSProxy
        case .imap: return kSecAttrProtocolIMAP
        case .imaps: return kSecAttrProtocolIMAPS
        case .ldap: return kSecAttrProtocolLDAP
        case .pop3: return kSecAttrProtocolPOP3
        case .pop3s: return kSecAttrProtocolPOP3S
        case .smb: return kSecAttrProtocolSMB
        case .smtp: return kSecAttrProtocolSMTP
        case .ssh: return kSecAttrProtocolSSH
        case .telnet: return kSecAttrProtocolTelnet
        }
    }
}

/// How the password is handed over; the raw value is the attribute itself.
enum InternetAuthentication: RawRepresentable, CaseIterable {
    case `default`, htmlForm, httpBasic, httpDigest, ntlm, msn, dpa, rpa

    init?(rawValue: CFString) {
        switch rawValue {
        case kSecAttrAuthenticationTypeDefault: self = .default
        case kSecAttrAuthenticationTypeHTMLForm: self = .htmlForm
        case kSecAttrAuthenticationTypeHTTPBasic: self = .httpBasic
        case kSecAttrAuthenticationTypeHTTPDigest: self = .httpDigest
        case kSecAttrAuthenticationTypeNTLM: self = .ntlm
        case kSecAttrAuthenticationTypeMSN: self = .msn
        case kSecAttrAuthenticationTypeDPA: self = .dpa
        case kSecAttrAuthenticationTypeRPA: self = .rpa
        default: return nil
        }
    }

    var rawValue: CFString {
        switch self {
        case .default: return kSecAttrAuthenticationTypeDefault
        case .htmlForm: return kSecAttrAuthenticationTypeHTMLForm
        case .httpBasic: return kSecAttrAuthenticationTypeHTTPBasic
        case .httpDigest: return kSecAttrAuthenticationTypeHTTPDigest
        case .ntlm: return kSecAttrAuthenticationTypeNTLM
        case .msn: return kSecAttrAuthenticationTypeMSN
        case .dpa: return kSecAttrAuthenticationTypeDPA
        case .rpa: return kSecAttrAuthenticationTypeRPA
        }
    }
}

/// Passwords for addresses on the web.
struct InternetPasswords {
    struct Login: Equatable {
        var account: String
        var password: String
        var server: String
        var port: Int
        var path: String
    }

    func add(
        _ password: String,
        account: String,
        url: URL,
        authentication: InternetAuthentication = .htmlForm,
        realm: String? = nil
    ) -> OSStatus {
        var item = attributes(of: url)
        item[kSecAttrAccount] = account
        item[kSecAttrAuthenticationType] = authentication.rawValue
        if let realm = realm { item[kSecAttrSecurityDomain] = realm }
        item[kSecAttrDescription] = "Web form password"
        item[kSecAttrComment] = "added by a test"
        item[kSecValueData] = Data(password.utf8)
        return SecItemAdd(item as CFDictionary, nil)
    }

    func logins(for url: URL) -> [Login] {
        logins(matching: attributes(of: url))
    }

    /// Logins of a host and of the hosts under it.
    func logins(forHostOrSubdomainsOf host: String) -> [Login] {
        logins(matching: [kSecClass: kSecClassInternetPassword, kSecMatchHostOrSubdomainOfHost: host])
    }

    func delete(account: String, url: URL) -> OSStatus {
        var query = attributes(of: url)
        query[kSecAttrAccount] = account
        return SecItemDelete(query as CFDictionary)
    }

    private func logins(matching attributes: [CFString: Any]) -> [Login] {
        var query = attributes
        query.merge([
            kSecMatchLimit: kSecMatchLimitAll,
            kSecReturnAttributes: true,
            kSecReturnData: true,
        ]) { _, new in new }
        var result: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess,
            let items = result as? [[CFString: Any]]
        else { return [] }
        return items.compactMap { item in
            guard let account = item[kSecAttrAccount] as? String, let data = item[kSecValueData] as? Data else {
                return nil
            }
            return Login(
                account: account,
                password: String(decoding: data, as: UTF8.self),
                server: item[kSecAttrServer] as? String ?? "",
                port: item[kSecAttrPort] as? Int ?? -1,
                path: item[kSecAttrPath] as? String ?? ""
            )
        }
    }

    private func attributes(of url: URL) -> [CFString: Any] {
        var attributes: [CFString: Any] = [kSecClass: kSecClassInternetPassword]
        if let host = url.host { attributes[kSecAttrServer] = host }
        if let port = url.port { attributes[kSecAttrPort] = port }
        if !url.path.isEmpty { attributes[kSecAttrPath] = url.path }
        if let scheme = url.scheme, let known = InternetProtocol(rawValue: scheme) {
            attributes[kSecAttrProtocol] = known.rawAttribute
        }
        return attributes
    }
}
