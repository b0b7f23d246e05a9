// SPDX-License-Identifier: Apache-2.0

import Foundation
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
        var isFolder: ObjCBool = false
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        guard !path.isEmpty, FileManager.default.fileExists(atPath: resolved.path, isDirectory: &isFolder) else {
            throw .noSuchPath(path)
        }
        url = isFolder.boolValue ? resolved : resolved.deletingLastPathComponent()
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
        try information()[Self.key] as? String
    }

    /// Writes the identifier, keeps the rest of the list, and replaces the file atomically.
    ///
    /// - Throws: ``BundleIdentifierError``; the list is then unchanged.
    func setBundleIdentifier(_ identifier: BundleIdentifier) throws(BundleIdentifierError) {
        var information = try information()
        information[Self.key] = identifier.rawValue
        do {
            let data = try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            try data.write(to: informationURL, options: .atomic)
        } catch {
            throw .unwritableList(informationURL.path, "\(error.localizedDescription)")
        }
    }

    /// The list as a dictionary; empty when there is none.
    private func information() throws(BundleIdentifierError) -> [String: Any] {
        guard FileManager.default.fileExists(atPath: informationURL.path) else { return [:] }
        do {
            let data = try Data(contentsOf: informationURL)
            guard PropertyListShape.isHarmless(data) else {
                throw BundleIdentifierError.unreadableList(informationURL.path, "it is no property list")
            }
            let list = try PropertyListSerialization.propertyList(from: data, format: nil)
            guard let dictionary = list as? [String: Any] else {
                throw BundleIdentifierError.unreadableList(informationURL.path, "it is not a dictionary")
            }
            return dictionary
        } catch let error as BundleIdentifierError {
            throw error
        } catch {
            throw .unreadableList(informationURL.path, error.localizedDescription)
        }
    }

    private static let key = "CFBundleIdentifier"
}
