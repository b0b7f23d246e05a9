// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainFiles
import KeychainMacFrontEnd

/// `list-keychains`: prints or replaces the search list.
struct ListKeychains: Command {
    let options: OptionSyntax = "hd:s"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var request = ListRequest()
        for option in invocation.arguments.options { try request.parse(option) }
        try invocation.checkOptions(options)
        let operands = invocation.arguments.operands
        guard request.sets || operands.isEmpty else { throw CommandFailure.usage }
        let preferences = session.keychains.preferences
        guard request.sets else {
            let list = try failing(request.function("SecKeychainCopy", "SearchList")) { () throws(KeychainError) in
                try Self.list(request.domain, session.keychains)
            }
            for path in list { try session.output.write(ListRequest.line(path)) }
            return 0
        }
        try failing(request.function("SecKeychainSet", "SearchList")) { () throws(KeychainError) in
            let domain = request.domain ?? .user
            var paths: [String] = []
            // Scripts pass on the output for an empty list.
            for operand in operands where !operand.isEmpty {
                paths.append(try session.keychains.path(orDefault: operand))
            }
            // Without names, the list is reset to its initial value: the default keychain.
            guard !operands.isEmpty else { return try preferences.resetSearchList(domain) }
            try preferences.setSearchList(paths, domain)
        }
        return 0
    }

    /// The paths of a list.
    ///
    /// The data protection keychain is included if it was added to the list; and, if it is searched without that, if it
    /// has items: scripts that store the list again with one more keychain must not lose them.
    private static func list(
        _ domain: KeychainPreferences.Domain?,
        _ keychains: Keychains
    ) throws(KeychainError) -> [String] {
        let preferences = keychains.preferences
        let list = if let domain { try preferences.searchList(domain) } else { try preferences.searchList() }
        let login = preferences.home.loginKeychainPath
        guard domain == nil || domain == .user, !list.contains(login), keychains.reachesDataProtection(by: []),
            keychains.dataProtection.hasItems
        else { return list }
        return list + [login]
    }
}

/// `default-keychain`: prints or chooses the default keychain.
struct DefaultKeychain: Command {
    let options: OptionSyntax = "hd:s"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var request = ListRequest()
        for option in invocation.arguments.options { try request.parse(option) }
        try invocation.checkOptions(options)
        let operands = invocation.arguments.operands
        guard operands.count < (request.sets ? 2 : 1) else { throw CommandFailure.usage }
        let preferences = session.keychains.preferences
        let domain = request.domain ?? .user
        let read = request.function("SecKeychainCopy", "Default")
        guard request.sets else {
            let path = try failing(read) { () throws(KeychainError) in
                guard let path = try preferences.defaultKeychain(domain) else { throw .noDefaultKeychain }
                return path
            }
            try session.output.write(ListRequest.line(path))
            return 0
        }
        try failing(request.function("SecKeychainSet", "Default")) { () throws(KeychainError) in
            guard let operand = operands.first else {
                // The current default keychain is chosen again.
                guard let path = try preferences.defaultKeychain(domain) else { throw .noDefaultKeychain }
                return try preferences.setDefaultKeychain(path, domain)
            }
            let path = try session.keychains.path(orDefault: operand)
            guard preferences.place(of: path) == .dataProtection || Self.isOwn(path) else {
                throw KeychainError(.writePermission, "the file belongs to another user, or does not exist")
            }
            try preferences.setDefaultKeychain(path, domain)
        }
        return 0
    }

    /// Whether a file belongs to the user.
    private static func isOwn(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_uid == geteuid()
    }
}

/// `login-keychain`: prints the login keychain.
struct ShowLoginKeychain: Command {
    let options: OptionSyntax = "hd:s"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        for option in invocation.arguments.options {
            // macOS prints nothing either.
            if option.letter == "d" || option.letter == "s" { return 1 }
            throw CommandFailure.usage
        }
        try invocation.checkOptions(options)
        guard invocation.arguments.operands.isEmpty else { throw CommandFailure.usage }
        // Every user has one here: the data protection keychain belongs to it.
        try session.output.write(ListRequest.line(session.keychains.home.loginKeychainPath))
        return 0
    }
}

/// The options that `list-keychains` and `default-keychain` share.
private struct ListRequest {
    /// `nil` for the domains that every search covers.
    var domain: KeychainPreferences.Domain?

    var sets = false

    mutating func parse(_ option: ParsedOptions.Option) throws(CommandFailure) {
        switch option.letter {
        case "d":
            let domains: [KeychainPreferences.Domain] = [.user, .system, .common, .dynamic]
            guard let domain = domains.first(where: { option.value.isPrefix(of: $0.rawValue) }) else {
                throw CommandFailure(
                    status: CommandFailure.usage.status,
                    "security: Invalid domain: \(option.value)"
                )
            }
            self.domain = domain
        case "s": sets = true
        default: throw CommandFailure.usage
        }
    }

    /// The corresponding function of macOS, with the domain if one was named.
    func function(_ beginning: String, _ end: String) -> String {
        domain.map { "\(beginning)Domain\(end) \($0)" } ?? beginning + end
    }

    /// A path as macOS prints it.
    static func line(_ path: String) -> ByteText { "    \"\(path)\"\n" }
}
