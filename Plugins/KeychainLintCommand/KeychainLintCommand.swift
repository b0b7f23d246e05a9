// SPDX-License-Identifier: Apache-2.0
import Foundation
import PackagePlugin

/// `swift package keychain-lint [ARGUMENTS]`: lints the package, or what the arguments say.
@main
struct KeychainLintCommand: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let process = Process()
        process.executableURL = try context.tool(named: "keychain-lint").url
        let folder = context.package.directoryURL
        process.currentDirectoryURL = folder
        process.arguments = arguments.isEmpty ? ["lint", "."] : arguments
        try process.run()
        process.waitUntilExit()
        // 1 says that something was found, which was printed.
        guard process.terminationStatus != 0 else { return }
        Diagnostics.error("keychain-lint found something, or could not run (status \(process.terminationStatus))")
    }
}
