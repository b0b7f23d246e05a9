// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import FoundationEssentials

/// `keychainctl bundle-identifier`: sets what `Bundle.main.bundleIdentifier` returns in programs.
struct BundleIdentifierCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundle-identifier",
        abstract: "Shows and sets the value of Bundle.main.bundleIdentifier.",
        discussion: CommandDiscussion.text(
            """
            On Linux it is nil, and programs written for Apple platforms often unwrap it by force. A property list named \
            Info.plist beside the executable gives it a value. The identifier is also the program's default \
            access group, unless it has entitlements.
            """,
            examples: [
                "keychainctl bundle-identifier set com.example.tool":
                    "Gives what swift build has built a bundle identifier."
            ]
        ),
        subcommands: [Check.self, Set.self],
        defaultSubcommand: Check.self
    )

    /// The folder of SwiftPM's build products, relative to a package.
    static let buildFolder = ".build/debug"

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the bundle identifier of programs; exit status 1 if there is none.",
            discussion: CommandDiscussion.text(examples: [
                "keychainctl bundle-identifier check .build/release":
                    "Shows the bundle identifier of the programs in a folder."
            ])
        )

        @Argument(help: "An executable or its folder.", completion: .file())
        var path = BundleIdentifierCommand.buildFolder

        func run() throws {
            let folder = try ProgramFolder(path: path)
            if let identifier = try folder.bundleIdentifier(), !identifier.isEmpty {
                print(identifier)
                return
            }
            let package = URL(fileURLWithPath: FileManager.default.currentDirectoryPath).lastPathComponent
            let offer = "keychainctl bundle-identifier set \(BundleIdentifier.suggestion(for: package)) '\(path)'"
            print("Programs in \(folder.url.path) have no bundle identifier. To give them one:\n    \(offer)")
            throw ExitCode.failure
        }
    }

    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets the bundle identifier of programs.",
            discussion: CommandDiscussion.text(examples: [
                "keychainctl bundle-identifier set com.example.tool": "Sets that of the programs in .build/debug."
            ])
        )

        @Argument(
            help: "Letters, digits, hyphens and periods, such as com.example.tool.",
            transform: { text in
                guard let identifier = BundleIdentifier(rawValue: text) else {
                    throw ValidationError("An identifier consists of ASCII letters, digits, hyphens and periods.")
                }
                return identifier
            }
        )
        var identifier: BundleIdentifier

        @Argument(help: "An executable or its folder.", completion: .file())
        var path = BundleIdentifierCommand.buildFolder

        func run() throws {
            let folder = try ProgramFolder(path: path)
            try folder.setBundleIdentifier(identifier)
            print("Wrote \(folder.informationURL.path)")
            guard folder.isOfBuild else { return }
            print("It goes with what is built: set it again after 'swift package clean', or use 'keychainctl test'.")
        }
    }
}
