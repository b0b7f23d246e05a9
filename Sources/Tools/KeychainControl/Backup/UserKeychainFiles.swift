// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost
import KeychainMacFrontEnd

/// The keychain files of the user, as backups take them and put them back: the login keychain's, the default one, and
/// those of the user's search list.
struct UserKeychainFiles: Sendable {
    let home: KeychainHome
    let preferences: KeychainPreferences

    /// The files of a home folder.
    init(home: KeychainHome) {
        self.home = home
        preferences = KeychainPreferences(home: home).withDataProtection
    }

    /// Those of the user who runs this process.
    static var process: UserKeychainFiles {
        UserKeychainFiles(home: KeychainHome(variable: ProcessEnvironment.value("HOME")))
    }

    /// The files that go into a backup, and those that cannot.
    struct Collected: Equatable {
        var files: [BackedUpFile] = []
        var omitted: [Problem] = []
    }

    /// A file that is not in the backup as it should be, and why.
    struct Problem: Equatable, Codable {
        let path: String
        let why: String

        var json: JSONValue { .object(["path": .string(path), "why": .string(why)]) }
    }

    /// Reads the files.
    func collect() -> Collected {
        var collected = Collected()
        var paths: [String] = []
        do throws(KeychainError) {
            paths = try preferences.searchList(.user)
            if let chosen = try preferences.defaultKeychain() { paths.append(chosen) }
        } catch {
            collected.omitted.append(Problem(path: "the search list", why: error.reason))
        }
        paths.append(home.loginKeychainPath)
        var (seen, sum): (Set<String>, Int) = ([], 0)
        for path in paths where seen.insert(path).inserted {
            // The login keychain has no file unless one was made: its items are those of the keychain.
            if preferences.place(of: path) == .dataProtection { continue }
            do throws(Refusal) {
                let file = try read(path)
                sum += file.contents.count
                guard sum <= BackedUpFile.largestSum, collected.files.count < BackedUpFile.maximumCount else {
                    sum -= file.contents.count
                    throw Refusal("the keychain files are too many or too large together")
                }
                collected.files.append(file)
            } catch {
                collected.omitted.append(Problem(path: path, why: error.description))
            }
        }
        return collected
    }

    /// Those of some files that are damaged, and go into a backup as they are.
    func damaged(_ files: [BackedUpFile]) -> [Problem] {
        files.compactMap { file in
            KeychainFileCheck.damage(in: file.contents.unprotectedCopy).map { why in
                Problem(path: path(of: file, in: nil), why: why)
            }
        }
    }

    private func read(_ path: String) throws(Refusal) -> BackedUpFile {
        guard let bytes = try contents(path)?.bytes else { throw Refusal("it does not exist") }
        var status = stat()
        guard stat(path, &status) == 0 else { throw Refusal(String(cString: strerror(errno))) }
        let file = BackedUpFile(
            name: name(of: path),
            mode: UInt16(truncatingIfNeeded: status.st_mode),
            contents: SecretBytes(bytes)
        )
        if let objection = file.objection { throw Refusal(objection) }
        return file
    }

    private func contents(_ path: String) throws(Refusal) -> (bytes: [UInt8], mark: AtomicFile.Mark)? {
        do throws(FileError) {
            return try AtomicFile.read(path, limit: BackedUpFile.largestByteCount)
        } catch {
            throw Refusal("\(error)")
        }
    }

    /// The name that a backup has for a path: relative to the home folder, which is another one on another device.
    private func name(of path: String) -> String {
        let prefix = home.path == "/" ? "/" : home.path + "/"
        return path.utf8.starts(with: prefix.utf8) ? "~/" + String(path.dropFirst(prefix.count)) : path
    }

    // MARK: - Putting them back

    /// A file of a backup and its place.
    struct Planned: Equatable {
        let file: BackedUpFile
        let path: String
        let state: State

        enum State: Equatable {
            /// There is none.
            case absent
            /// The file there has the same bytes.
            case equal
            /// The file there has others.
            case different
            /// It is not put anywhere.
            case refused(String)
        }
    }

    /// Where the files of a backup would go.
    ///
    /// In the home folder they go to the path that they had, unless a part of it is hidden: a backup must not write the
    /// settings of a shell. Others go nowhere without a folder for them, nor do those whose way leads over a link,
    /// which may lead anywhere. See ``objection(to:at:isFolderNamed:)``.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - folder: the absolute path of a folder for all of them, by their last names; `nil` for their places.
    /// - Returns: The files in their order.
    func plan(_ files: [BackedUpFile], into folder: String?) -> [Planned] {
        var taken: Set<String> = []
        return files.map { file in
            let path = path(of: file, in: folder)
            if let objection = file.objection { return Planned(file: file, path: path, state: .refused(objection)) }
            if folder == nil, !isPlace(file.name) {
                return Planned(file: file, path: path, state: .refused("name a folder for it by --files-to"))
            }
            if let objection = objection(to: file, at: path, isFolderNamed: folder != nil) {
                return Planned(file: file, path: path, state: .refused(objection))
            }
            guard taken.insert(path).inserted else {
                return Planned(file: file, path: path, state: .refused("another file of the backup has this name"))
            }
            let state = state(of: file, at: path)
            if state != .equal, folder == nil, let link = link(above: path) {
                let why = "\(link) is a symbolic link; name a folder for it by --files-to"
                return Planned(file: file, path: path, state: .refused(why))
            }
            return Planned(file: file, path: path, state: state)
        }
    }

    private func path(of file: BackedUpFile, in folder: String?) -> String {
        if let folder { return "\(folder)/\(file.name.pathNames.last ?? file.name)" }
        return file.name.hasPrefix("~/") ? home.path + file.name.dropFirst() : file.name
    }

    private func isPlace(_ name: String) -> Bool {
        name.hasPrefix("~/") && !name.dropFirst(2).split(separator: "/").contains { $0.hasPrefix(".") }
    }

    private func state(of file: BackedUpFile, at path: String) -> Planned.State {
        do throws(Refusal) {
            let there = try contents(path)
            if let there, SecretBytes(there.bytes) == file.contents { return .equal }
            if Self.isLink(path) { return .refused("a symbolic link is there") }
            return there == nil ? .absent : .different
        } catch {
            return .refused(error.description)
        }
    }

    /// The first folder between the home folder and a file that is a symbolic link.
    private func link(above path: String) -> String? {
        var above = home.path == "/" ? "" : home.path
        for name in path.dropFirst(above.count).pathNames.dropLast() {
            above += "/\(name)"
            if Self.isLink(above) { return above }
        }
        return nil
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Puts a file in its place; never over another one, and for its owner alone, as every new keychain file.
    func create(_ planned: Planned) throws(Refusal) {
        do throws(FileError) {
            try AtomicFile.makeFolders(above: planned.path)
            _ = try AtomicFile.create(
                planned.path,
                planned.file.contents.unprotectedCopy,
                mode: mode_t(planned.file.mode) & 0o600
            )
        } catch {
            throw Refusal("\(error)")
        }
    }

    /// Puts a file in the place of another one, which keeps its contents under another name.
    ///
    /// - Returns: The path of the former file.
    func replace(_ planned: Planned, at date: String) throws(Refusal) -> String {
        let aside = "\(planned.path).before-\(date)"
        guard let there = try contents(planned.path) else {
            throw Refusal("it was removed meanwhile; try again")
        }
        let mark: AtomicFile.Mark?
        do throws(FileError) {
            _ = try AtomicFile.create(aside, there.bytes)
            mark = try AtomicFile.replace(planned.path, there.mark, with: planned.file.contents.unprotectedCopy)
        } catch {
            throw Refusal("\(error)")
        }
        guard mark != nil else { throw Refusal("it was changed meanwhile; try again") }
        return aside
    }
}
