// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Names of files and folders, and how they lie to each other.
public enum PathName {
    /// From the root, without `.` and `..`.
    public static func absolute(_ path: String) -> String {
        let full = path.hasPrefix("/") ? path : joined(FileManager.default.currentDirectoryPath, path)
        var parts: [Substring] = []
        for part in full.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    static func resolved(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }

    /// A path below a folder.
    public static func joined(_ folder: String, _ path: String) -> String {
        folder.hasSuffix("/") ? folder + path : folder + "/" + path
    }

    /// The folder that a file is in.
    public static func folder(of path: String) -> String {
        let folder = path.split(separator: "/").dropLast().joined(separator: "/")
        return path.hasPrefix("/") ? "/" + folder : folder.isEmpty ? "." : folder
    }

    /// A path without its folder, if it is in there; else the path as it is; both from the root.
    public static func relative(_ path: String, to folder: String) -> String {
        let start = folder.hasSuffix("/") ? folder : folder + "/"
        return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : path
    }

    /// What paths below a folder have before them where they are relative to another; both from the root.
    public static func prefix(of folder: String, in other: String) -> String {
        if folder == other { return "" }
        let path = relative(folder, to: other)
        return path.hasSuffix("/") ? path : path + "/"
    }

    /// The deepest folder that has all of some folders.
    static func commonFolder(_ folders: [String]) -> String {
        guard let first = folders.first else { return absolute(".") }
        var parts = first.split(separator: "/")
        for folder in folders.dropFirst() {
            let other = folder.split(separator: "/")
            parts = Array(zip(parts, other).prefix { $0 == $1 }.map(\.0))
        }
        return "/" + parts.joined(separator: "/")
    }

    /// A folder and those around it, from the inside.
    public static func folders(around folder: String) -> [String] {
        var result = [folder]
        while let last = result.last, last != "/" { result.append(Self.folder(of: last)) }
        return result
    }
}

extension Linter.Outcome {
    /// With something before the paths of all files that were found.
    public func below(_ prefix: String) -> Self {
        guard !prefix.isEmpty else { return self }
        var result = self
        for index in findings.indices {
            result.findings[index].file = prefix + findings[index].file
            for number in findings[index].related.indices {
                result.findings[index].related[number].file = prefix + findings[index].related[number].file
            }
        }
        for (index, item) in skipped.enumerated() where item.reason != .missing && !item.file.hasPrefix("/") {
            result.skipped[index].file = prefix + item.file
        }
        result.accessGroups = Dictionary(accessGroups.map { (prefix + $0.key, $0.value) }) { first, _ in first }
        return result
    }
}
