// SPDX-License-Identifier: Apache-2.0

import Foundation
package import KeychainCore
import KeychainHost
import Logging
import Synchronization

/// The identity of this process: its entitlements, read from a plain property list, and the resulting access groups.
///
/// The list is the file that `SWIFT_KEYCHAIN_ENTITLEMENTS` names, or `NAME.entitlements` next to the executable NAME.
/// Without one, the groups are the bundle identifier with the application identifier prefix, as on iOS, if the program
/// has one; the identity that its build has put into it; one derived from the program's name; and one shared by all
/// programs of the user. The groups of a signed manifest next to the executable come before all of them. In the
/// embedded keychain, groups organize items; they are not a boundary between programs of one user.
package struct ProcessClient: Sendable {
    private(set) var client: Client

    /// The entitlements as read, in the form of their property list; empty without a list.
    let entitlements: Data

    /// Where the program's items are from the time before it had an identity, and where they belong now; `nil` if it
    /// has none, or its groups are from entitlements or a manifest.
    private(set) var formerGroup: (former: String, group: String)?

    static let environmentVariable = "SWIFT_KEYCHAIN_ENTITLEMENTS"
    static let prefixVariable = "SWIFT_KEYCHAIN_APP_IDENTIFIER_PREFIX"

    /// Chooses the front end: `iOS`, the default, or `macOS`.
    static let platformVariable = "SWIFT_KEYCHAIN_PLATFORM"

    /// The setting with which calls go through the front end of macOS, and reach file-based keychains.
    static let fileBasedVariable = "SWIFT_KEYCHAIN_FILE_BASED"

    /// This program in access lists of file-based keychains.
    package static let program = TrustedApplication(path: executablePath)

    static let current = make(
        executable: executablePath,
        bundleIdentifier: Bundle.main.bundleIdentifier,
        identity: ProgramIdentity.current,
        environment: ProcessEnvironment.value
    )

    /// The path of the running program, without the mark that the kernel adds when the file was replaced meanwhile.
    static var executablePath: String {
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return path.map(ExecutablePath.onDisk) ?? CommandLine.arguments[0]
    }

    /// The client that a program is, by its path, bundle identifier, note and environment.
    static func make(
        executable: String,
        bundleIdentifier: String?,
        identity: ProgramIdentity.Note = .missing,
        environment: (String) -> String?
    ) -> ProcessClient {
        let manifest = ManifestClaims(executable: executable)
        let prefix = environment(prefixVariable) ?? manifest?.prefix
        var made =
            entitled(executable, prefix: prefix, environment: environment)
            ?? derived(
                executable,
                bundleIdentifier: bundleIdentifier,
                identity: name(in: identity),
                prefix: environment(prefixVariable) ?? ""
            )
        // What any program may have stored under the name of the file does not belong into a group that a team owns.
        if manifest != nil { made.formerGroup = nil }
        // An add without a group stores in the first of the manifest, as with a daemon.
        for group in (manifest?.accessGroups ?? []).reversed() {
            made.client.accessGroups.removeAll { $0.utf8.elementsEqual(group.utf8) }
            made.client.accessGroups.insert(group, at: 0)
        }
        made.client.profile = profile(environment)
        return made
    }

    /// The front end that the environment of this process chooses.
    package static let chosenProfile = profile(ProcessEnvironment.value)

    private static func profile(_ environment: (String) -> String?) -> Profile {
        switch environment(platformVariable) {
        case nil, "iOS": return .iOS
        case "macOS": return .macOS
        case let other?:
            logger.warning("\(platformVariable) is neither iOS nor macOS: \(other); iOS is taken")
            return .iOS
        }
    }

    private static let logger = Logger(label: "swift-keychain")

    private static func name(in note: ProgramIdentity.Note) -> String? {
        switch note {
        case .missing: return nil
        case .identity(let identity): return identity.name
        case .malformed:
            logger.warning("the identity in the note of the program is not a name such as com.example.tool")
            return nil
        }
    }

    /// The client that a program is without entitlements.
    private static func derived(
        _ executable: String,
        bundleIdentifier: String?,
        identity: String?,
        prefix: String
    ) -> ProcessClient {
        var identifiers = [bundleIdentifier, identity].compactMap(\.self).filter { !$0.isEmpty }
        if identifiers.count == 2, identifiers[0] == identifiers[1] { identifiers.removeLast() }
        // The group by name stays in the list: a program that gets an identifier later still finds its items.
        let named = Client.group(ofProgram: (executable as NSString).lastPathComponent)
        let groups = identifiers.map { prefix + $0 } + [named, Client.commonGroup]
        var made = ProcessClient(client: Client(accessGroups: groups), entitlements: Data())
        // Not into the group of a bundle identifier, which a tool wrote beside the program and may change.
        if let identity, identifiers.first == identity { made.formerGroup = (named, groups[0]) }
        return made
    }

    /// The client that a program is by its entitlements; `nil` if it has none.
    private static func entitled(
        _ executable: String,
        prefix: String?,
        environment: (String) -> String?
    ) -> ProcessClient? {
        let named = environment(environmentVariable)
        let path = named ?? "\(executable).entitlements"
        guard named != nil || FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            let entitlements = try KeychainEntitlements(propertyList: data, prefix: prefix)
            return ProcessClient(client: Client(accessGroups: entitlements.accessGroups), entitlements: data)
        } catch {
            // A client whose entitlements cannot be read has none: every call answers errSecMissingEntitlement.
            logger.warning("the entitlements \(path) cannot be used: \(error)")
            return ProcessClient(client: Client(accessGroups: []), entitlements: Data())
        }
    }
}
