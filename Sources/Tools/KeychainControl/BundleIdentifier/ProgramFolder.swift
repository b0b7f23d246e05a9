// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainPropertyLists

/// The folder of an executable, and the `Info.plist` in it that gives its programs a bundle identifier.
///
/// Foundation on Linux looks there for the main bundle's property list; all executables of the folder share it. A list
/// in `Contents` takes precedence, and moves the bundle's resources to `Contents/Resources`: an existing one is kept,
/// but none is created (measured with the Foundation of Swift 6.3.1).
struct ProgramFolder {
    let url: URL

    /// The folder itself, or the folder of a file; links are followed, as the path of a running program is.
    ///
    /// - Throws: ``BundleIdentifierError/noSuchPath(_:)``.
    init(path: String) throws(BundleIdentifierError) {
        var isFolder = false
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        guard !path.isEmpty, FileManager.default.fileExists(atPath: resolved.path, isDirectory: &isFolder) else {
            throw .noSuchPath(path)
        }
        url = isFolder ? resolved : resolved.deletingLastPathComponent()
    }

    /// The list that Foundation reads.
    var informationURL: URL {
        let inContents = url.appendingPathComponent("Contents/Info.plist")
        if FileManager.default.fileExists(atPath: inContents.path) { return inContents }
        return url.appendingPathComponent("Info.plist")
    }

    /// Whether the package manager removes it together with its build products.
    var isOfBuild: Bool { url.pathComponents.contains { $0.hasPrefix(".build") } }

    /// The identifier that programs in the folder have; `nil` if there is no list, or no identifier in it.
    ///
    /// - Throws: ``BundleIdentifierError/unreadableList(_:_:)``.
    func bundleIdentifier() throws(BundleIdentifierError) -> String? {
        try information()[Self.key]?.string
    }

    /// Writes the identifier, keeps the rest of the list, and replaces the file atomically.
    ///
    /// - Throws: ``BundleIdentifierError``; the list is then unchanged.
    func setBundleIdentifier(_ identifier: BundleIdentifier) throws(BundleIdentifierError) {
        var information = try information()
        information[Self.key] = .string(identifier.rawValue)
        do {
            try PropertyListValue.dictionary(information).xml().write(to: informationURL, options: .atomic)
        } catch {
            throw .unwritableList(informationURL.path, FailureText.of(error))
        }
    }

    /// The list as a dictionary; empty when there is none.
    private func information() throws(BundleIdentifierError) -> [String: PropertyListValue] {
        guard FileManager.default.fileExists(atPath: informationURL.path) else { return [:] }
        let data: Data
        do { data = try Data(contentsOf: informationURL) } catch {
            throw .unreadableList(informationURL.path, FailureText.of(error))
        }
        guard let list = PropertyListValue(data) else {
            throw .unreadableList(informationURL.path, "it is no property list")
        }
        guard let dictionary = list.members else {
            throw .unreadableList(informationURL.path, "it is not a dictionary")
        }
        return dictionary
    }

    private static let key = "CFBundleIdentifier"
}
