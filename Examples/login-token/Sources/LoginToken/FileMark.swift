// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainRecipes

/// The mark of an installation in the program's folder, which goes when the program is removed.
public struct FileMark: InstallationMarkStore {
    private let url: URL

    /// A mark in a folder, which is made when it is written.
    public init(in folder: URL) { url = folder.appendingPathComponent("installation-mark") }

    /// Reads the mark; a file that cannot be read is an error, and not taken for none.
    public func readMark() throws(InstallationMarkError) -> String? {
        do {
            return String(decoding: try Data(contentsOf: url), as: UTF8.self)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch { throw InstallationMarkError(error) }
    }

    /// Writes the mark.
    public func writeMark(_ mark: String) -> Bool {
        let folder = url.deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(mark.utf8).write(to: url, options: .atomic)
            return true
        } catch { return false }
    }
}
