// SPDX-License-Identifier: Apache-2.0
import Foundation
import PackagePlugin

/// Lints a target before it is built; errors stop the build, everything else is shown.
@main
struct KeychainLintBuild: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        let sources = module.sourceFiles(withSuffix: "swift").map(\.url)
        let stamp = context.pluginWorkDirectoryURL.appending(path: "keychain-lint.stamp")
        return [
            .buildCommand(
                displayName: "keychain-lint \(target.name)",
                executable: try context.tool(named: "keychain-lint").url,
                arguments: ["lint", "--fail-on", "error", "--stamp", stamp.path, module.directoryURL.path],
                inputFiles: sources,
                outputFiles: [stamp]
            )
        ]
    }
}
