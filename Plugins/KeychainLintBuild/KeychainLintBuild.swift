// SPDX-License-Identifier: Apache-2.0
import Foundation
import PackagePlugin

/// Lints a target before it is built; errors stop the build, everything else is shown.
@main
struct KeychainLintBuild: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        let sources = module.sourceFiles.map(\.url) + settings(for: module.directoryURL, context)
        let stamp = context.pluginWorkDirectoryURL.appending(path: "keychain-lint.stamp")
        return [
            .buildCommand(
                displayName: "keychain-lint \(target.name)",
                executable: try context.tool(named: "keychain-lint").url,
                arguments: [
                    "lint", "--absolute-paths", "--fail-on", "error", "--stamp", stamp.path, module.directoryURL.path,
                ],
                inputFiles: sources,
                outputFiles: [stamp]
            )
        ]
    }

    /// What findings depend on beside the sources: the configuration, and entitlements in the target's folder.
    private func settings(for target: URL, _ context: PluginContext) -> [URL] {
        var folders = [target]
        let package = context.package.directoryURL.standardizedFileURL.path
        while let last = folders.last, last.standardizedFileURL.path != package, last.path.count > 1 {
            folders.append(last.deletingLastPathComponent())
        }
        let configurations = folders.flatMap { folder in
            [".keychain-lint.yml", ".keychain-lint.yaml"].map { folder.appending(path: $0) }
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: target.path)) ?? []
        let entitlements = names.filter { $0.hasSuffix(".entitlements") }.map { target.appending(path: $0) }
        return configurations.filter { FileManager.default.fileExists(atPath: $0.path) } + entitlements
    }
}
