// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The toolsets that `Scripts/install` has put under a prefix.
struct InstalledToolsets {
    /// Their folder, `share/swift-keychain` under the prefix.
    let folder: URL

    /// The modules that have a toolset of their own, such as CryptoKit: a package gets them only on request.
    let modules: [String]

    /// The toolsets in a folder, or else in the prefix where this program is installed.
    ///
    /// - Throws: ``Refusal`` if there are none.
    init(folder: String?) throws(Refusal) {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let prefix = program.deletingLastPathComponent().deletingLastPathComponent()
        self.folder = folder.map { URL(fileURLWithPath: $0) } ?? prefix.appendingPathComponent("share/swift-keychain")
        let files = (try? FileManager.default.contentsOfDirectory(atPath: self.folder.path)) ?? []
        guard files.contains("toolset.json") else {
            throw Refusal("no toolset is in \(self.folder.path); run Scripts/install, or name its folder by --toolsets")
        }
        modules = files.filter { $0.hasPrefix("toolset-") && $0.hasSuffix(".json") }
            .map { String($0.dropFirst("toolset-".count).dropLast(".json".count)) }
            .filter { $0 != "explicit" }.sorted()
    }

    /// The path of a toolset; the plain toolset has no name.
    func path(_ name: String = "") -> String {
        folder.appendingPathComponent(name.isEmpty ? "toolset.json" : "toolset-\(name).json").path
    }
}
