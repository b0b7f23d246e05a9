// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost

/// A manifest of a program in a file that only root can change, in `/etc/swift-keychain/programs.d` (Identity,
/// "Root-owned manifests").
package struct RootManifest: Sendable, Hashable {
    /// The path of the executable, without symbolic links.
    package let path: String

    /// The executable's SHA-256, if it is required.
    package let executable: SHA256Value?

    /// The team that must have signed the executable, in any version; optional.
    package let team: TeamIdentifier?

    /// The application identifier.
    package let applicationIdentifier: String

    /// Its access groups in their order.
    package let accessGroups: [String]

    /// Those of its groups that only programs get to which a root-owned manifest grants them.
    package let exclusiveGroups: [String]

    /// Whether the program has the rights of the keychain's owner: explanations across all groups, policies, backups.
    package let hasOwnerRights: Bool

    /// Whether the program manages the items of every program in the Secret Service.
    package let hasManagerRights: Bool

    /// The SHA-256 of the libraries that it may load in addition to the system's.
    package let libraries: [SHA256Value]

    /// Whether it executes code that it generates, as a just-in-time compiler does.
    package let isJIT: Bool

    /// Whether others may choose libraries that are loaded into it: by variables such as LD_PRELOAD, or in folders in
    /// which it is linked to look for them (ld.so(8)).
    package let allowsPreload: Bool

    /// Whether its system calls may be filtered (seccomp(2)), by itself or by the process that starts it.
    package let allowsFilters: Bool

    /// Reads a manifest.
    ///
    /// - Throws: ``IdentityError`` for anything but a manifest of a known version, for a relative path, and for
    ///   groups that cannot be granted: every group, and those of teams and sandboxes.
    package init(text: some Sequence<UInt8>) throws(IdentityError) {
        let optional: Set = [
            "sha256", "team", "exclusiveGroups", "ownerRights", "managerRights", "libraries", "jit", "preload",
            "seccomp",
        ]
        let fields = try JSONFields(
            text,
            ["path", "applicationIdentifier", "accessGroups"],
            optional: optional,
            versions: 1...1
        )
        path = try fields.string("path")
        applicationIdentifier = try fields.string("applicationIdentifier")
        accessGroups = try fields.strings("accessGroups")
        exclusiveGroups = fields.has("exclusiveGroups") ? try fields.strings("exclusiveGroups") : []
        executable = fields.has("sha256") ? try fields.digest("sha256") : nil
        team = fields.has("team") ? try fields.team() : nil
        hasOwnerRights = try fields.flag("ownerRights")
        hasManagerRights = try fields.flag("managerRights")
        isJIT = try fields.flag("jit")
        allowsPreload = try fields.flag("preload")
        allowsFilters = try fields.flag("seccomp")
        var libraries: [SHA256Value] = []
        for text in fields.has("libraries") ? try fields.strings("libraries") : [] {
            guard let digest = SHA256Value(text) else { throw IdentityError("a library is not given by its SHA-256") }
            libraries.append(digest)
        }
        self.libraries = libraries
        guard path.isAbsolutePath, !path.pathNames.contains("..") else {
            throw IdentityError("'path' is not absolute")
        }
        for group in accessGroups where group == Client.everyGroup || GroupOwner(of: group) != .nobody {
            throw IdentityError("it grants '\(group)', which cannot be granted")
        }
        let groups = Set(accessGroups.map { Array($0.utf8) })
        guard exclusiveGroups.allSatisfy({ groups.contains(Array($0.utf8)) }) else {
            throw IdentityError("'exclusiveGroups' has a group that is not among 'accessGroups'")
        }
    }

    /// The manifests of a system.
    struct Folder {
        private(set) var manifests: [(file: String, manifest: RootManifest)] = []

        /// Why files of the folder are ignored, each a sentence.
        private(set) var objections: [String] = []

        /// Reads all manifests of a folder that only root can change; a missing folder has none.
        init(_ path: String, _ trust: FileTrust) {
            guard let stream = opendir(path) else { return }
            defer { closedir(stream) }
            if let objection = trust.objection(to: dirfd(stream)) {
                objections = ["\(path) \(objection), so its manifests are ignored"]
                return
            }
            var names: [String] = []
            while let entry = readdir(stream) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { start in
                    start.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
                }
                if let name, name.hasSuffix(".json"), !name.hasPrefix(".") { names.append(name) }
            }
            for name in names.sorted() {
                let file = "\(path)/\(name)"
                do throws(IdentityError) {
                    manifests.append((file, try Self.read(name, below: dirfd(stream), trust)))
                } catch {
                    objections.append("\(file) is ignored: \(error)")
                }
            }
        }

        private static func read(
            _ name: String,
            below folder: Int32,
            _ trust: FileTrust
        ) throws(IdentityError) -> RootManifest {
            guard let file = Descriptor(name, below: folder, O_RDONLY | O_NONBLOCK) else {
                throw .system("open", on: name, failure: errno)
            }
            if let objection = trust.objection(to: file.number) { throw IdentityError("it \(objection)") }
            guard let text = file.contents(limit: 1 << 20) else { throw .system("reading", on: name, failure: errno) }
            return try RootManifest(text: text)
        }
    }
}
