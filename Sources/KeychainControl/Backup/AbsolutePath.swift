// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A path as the shell means it.
enum AbsolutePath {
    static func of(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }
}
