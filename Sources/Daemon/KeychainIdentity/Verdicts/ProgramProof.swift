// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost

/// The claims of the valid manifests of an executable.
struct ProgramProof: Sendable {
    /// The executable's path.
    let path: String

    /// Its SHA-256, and the mark that its file had then.
    let digest: SHA256Value
    let mark: FileMark

    /// The parts of its file that hold its code.
    let code: [Range<UInt64>]

    /// The manifest that its team signed.
    let manifest: ProgramManifest?

    /// The published statements of that team about its keys.
    let published: [TeamStatement]

    /// The root-owned manifest, and its file.
    let root: (file: String, manifest: RootManifest)?

    /// The groups of root-owned manifests that only their programs have.
    let reservedGroups: Set<String>

    /// The libraries that they name.
    var libraries: Set<SHA256Value> { Set((manifest?.libraries ?? []) + (root?.manifest.libraries ?? [])) }

    /// Whether it may execute code that it generates.
    var isJIT: Bool { (manifest?.isJIT ?? false) || (root?.manifest.isJIT ?? false) }

    /// Whether others may choose libraries that are loaded into it, with variables such as LD_PRELOAD or through its
    /// linked search folders.
    var allowsPreload: Bool { (manifest?.allowsPreload ?? false) || (root?.manifest.allowsPreload ?? false) }

    /// Whether its system calls may be filtered by the process that started it, or by itself.
    var allowsFilters: Bool { (manifest?.allowsFilters ?? false) || (root?.manifest.allowsFilters ?? false) }

    /// Looks for manifests of an executable and checks them.
    ///
    /// - Returns: `nil` if none is valid.
    static func find(
        for executable: borrowing Executable,
        options: IdentityOptions,
        hashes: ExecutableHashes,
        findings: inout IdentityFindings,
        record: inout IdentityRecord
    ) -> ProgramProof? {
        let path = executable.path
        let folder = RootManifest.Folder(options.rootManifestFolder, options.trust)
        for objection in folder.objections { findings.addAbsent("root-owned manifest", objection) }
        if options.isForSystemService, OtherUsers.objection(toReading: path) != nil {
            findings.addFailed("executable", Executable.unreadable(path).description)
            return nil
        }
        let named = folder.manifests.filter { $0.manifest.path.isSamePath(as: path) }
        // Most programs have no manifest: their executables are not read.
        guard !named.isEmpty || mayBeSigned(path, options) else {
            findings.addAbsent("manifest", "\(path) is not signed, and no root-owned manifest names it")
            return nil
        }
        findings.hasManifest = !named.isEmpty || hasManifest(besides: path)
        if let objection = objectionToReading(executable, options) {
            findings.addFailed("executable", "\(path) cannot have a manifest: \(objection)")
            return nil
        }
        let facts: (SHA256Value, FileMark)
        do throws(IdentityError) {
            facts = try executable.digest(hashes)
            findings.addPassed("executable", "\(path), SHA-256 \(facts.0)")
        } catch {
            findings.addFailed("executable", error.description)
            return nil
        }
        let files = manifestFiles(for: path, digest: facts.0, options: options)
        guard !files.isEmpty || !named.isEmpty else {
            findings.addAbsent("manifest", "\(path) is not signed, and no root-owned manifest names it")
            return nil
        }
        findings.hasManifest = true
        if let objection = objection(to: executable) {
            findings.addFailed("executable", "\(path) cannot have a manifest: \(objection)")
            return nil
        }
        let (manifest, published) = signed(
            files,
            digest: facts.0,
            options: options,
            findings: &findings,
            record: &record
        )
        let root = rootOwned(
            named,
            for: executable,
            digest: facts.0,
            signed: manifest,
            trust: options.trust,
            findings: &findings
        )
        guard manifest != nil || root != nil else { return nil }
        let proof = ProgramProof(
            path: path,
            digest: facts.0,
            mark: facts.1,
            code: executable.code,
            manifest: manifest,
            published: published,
            root: root,
            reservedGroups: folder.exclusiveGroups
        )
        return findsOwnLibraries(executable, proof: proof, trust: options.trust, findings: &findings) ? proof : nil
    }

    /// Whether only root can choose a library that the loader finds for it.
    private static func findsOwnLibraries(
        _ executable: borrowing Executable,
        proof: ProgramProof,
        trust: FileTrust,
        findings: inout IdentityFindings
    ) -> Bool {
        guard !proof.allowsPreload else {
            findings.addAbsent("libraries", "its manifest allows libraries of any folder (RUNPATH)")
            return true
        }
        guard let objection = executable.libraryObjection(by: trust) else {
            findings.addPassed("libraries", "they are looked for in folders that only root can change")
            return true
        }
        findings.addFailed("libraries", "\(executable.path) \(objection)")
        return false
    }

    private static func objection(to executable: borrowing Executable) -> String? {
        do throws(IdentityError) {
            return try executable.objection()
        } catch { return error.description }
    }

    /// Why the executable is not read: it may execute other code than it returns for reads, or reading it may block.
    private static func objectionToReading(
        _ executable: borrowing Executable,
        _ options: IdentityOptions
    ) -> String? {
        guard executable.mark.byteCount <= largestByteCount else { return "it is too large for a program" }
        guard executable.isServedByProgram, executable.objection(by: options.trust) != nil else { return nil }
        return "it is on a FUSE file system, which may execute other code than it returns for reads"
    }

    /// The size of the largest executable or library that is read: 2 GiB.
    static let largestByteCount = 2 << 30

    /// Whether there may be a manifest signed by a team: next to the executable, or in a folder that has one for some.
    private static func mayBeSigned(_ path: String, _ options: IdentityOptions) -> Bool {
        hasManifest(besides: path) || options.manifestFolders.contains(where: hasManifest(in:))
    }

    private static func hasManifest(besides path: String) -> Bool {
        access(path + ProgramManifest.fileSuffix, F_OK) == 0
    }

    private static func hasManifest(in folder: String) -> Bool {
        guard let entries = opendir(folder) else { return false }
        defer { closedir(entries) }
        while let entry = readdir(entries) {
            let isManifest = withUnsafePointer(to: &entry.pointee.d_name) { start in
                start.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: start.pointee)) {
                    String(cString: $0).hasSuffix(ProgramManifest.fileSuffix)
                }
            }
            if isManifest { return true }
        }
        return false
    }

    /// The files that may hold a manifest of the executable.
    private static func manifestFiles(for path: String, digest: SHA256Value, options: IdentityOptions) -> [String] {
        let folders = options.manifestFolders.map { "\($0)/\(digest)\(ProgramManifest.fileSuffix)" }
        return ([path + ProgramManifest.fileSuffix] + folders).filter { access($0, F_OK) == 0 }
    }

    /// The first valid manifest, and what its team has published.
    private static func signed(
        _ files: [String],
        digest: SHA256Value,
        options: IdentityOptions,
        findings: inout IdentityFindings,
        record: inout IdentityRecord
    ) -> (ProgramManifest?, [TeamStatement]) {
        var objections: [String] = []
        for file in files {
            do throws(IdentityError) {
                if options.isForSystemService, let objection = OtherUsers.objection(toReading: file) {
                    throw IdentityError("the system service cannot read it: \(objection)")
                }
                let manifest = try read(file)
                guard manifest.executable == digest else {
                    throw IdentityError(
                        "it is for another version of the program; sign this one ('keychainctl sign')"
                    )
                }
                var learned = record
                let published = try PublishedStatements.statements(of: manifest.team, in: options.statementFolders)
                try learned.accept(published: published, of: manifest.team)
                try learned.check(manifest)
                record = learned
                findings.addPassed(
                    "manifest",
                    "\(file): \(manifest.applicationIdentifier), serial \(manifest.serial), signed for team \(manifest.team)"
                )
                return (manifest, published)
            } catch { objections.append("\(file) is ignored: \(error)") }
        }
        for objection in objections { findings.addFailed("manifest", objection) }
        return (nil, [])
    }

    /// The manifest in a file.
    static func read(_ path: String) throws(IdentityError) -> ProgramManifest {
        // Not through a link: the system service may read files that the program's user may not.
        guard let file = Descriptor(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW), let status = file.status,
            status.st_mode & S_IFMT == S_IFREG, let text = file.contents(limit: SignedDocument.largestByteCount + 2)
        else { throw .system("reading", on: path, failure: errno) }
        return try ProgramManifest(SignedDocument(text: text))
    }

    private static func rootOwned(
        _ named: [(file: String, manifest: RootManifest)],
        for executable: borrowing Executable,
        digest: SHA256Value,
        signed: ProgramManifest?,
        trust: FileTrust,
        findings: inout IdentityFindings
    ) -> (file: String, manifest: RootManifest)? {
        for (file, manifest) in named {
            let objection: String?
            if let required = manifest.executable, required != digest {
                objection = "it names another SHA-256; update it after an upgrade"
            } else if let team = manifest.team, signed?.team != team {
                objection = "it requires a program that team \(team) has signed"
            } else if manifest.executable == nil, manifest.team == nil, let reason = executable.objection(by: trust) {
                objection = "\(manifest.path) \(reason), and it names neither a SHA-256 nor a team"
            } else {
                objection = nil
            }
            guard let objection else {
                findings.addPassed("root-owned manifest", "\(file): \(manifest.applicationIdentifier)")
                return (file, manifest)
            }
            findings.addFailed("root-owned manifest", "\(file) is ignored: \(objection)")
        }
        return nil
    }
}

extension RootManifest.Folder {
    /// The groups that one of the manifests makes exclusive.
    var exclusiveGroups: Set<String> { Set(manifests.flatMap(\.manifest.exclusiveGroups)) }
}
