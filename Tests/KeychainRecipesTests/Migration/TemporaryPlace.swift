// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder of one test, removed with it.
final class TemporaryPlace: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("recipes-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func file(_ name: String, _ contents: Data) throws -> URL {
        let url = folder.appendingPathComponent(name)
        try contents.write(to: url)
        return url
    }

    func list(_ values: [String: Any], _ format: PropertyListSerialization.PropertyListFormat) throws -> URL {
        try file("list.plist", PropertyListSerialization.data(fromPropertyList: values, format: format, options: 0))
    }

    /// What lies in the folder.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? [] }
}

extension Data {
    static let secret = Data("s3cret".utf8)
    static let other = Data("0ther".utf8)
}
