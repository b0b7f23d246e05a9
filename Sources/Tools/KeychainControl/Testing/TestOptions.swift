// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The user's choices for a test run, in place of those of `keychainctl test`.
struct TestOptions: ParsableArguments {
    @Option(help: "Whose front end answers: iOS or macOS.", transform: Self.platform)
    var platform: String?

    @Option(
        help: ArgumentHelp("What Bundle.main.bundleIdentifier returns to the tests.", valueName: "identifier"),
        transform: { text in
            guard let identifier = BundleIdentifier(rawValue: text) else {
                throw ValidationError("An identifier consists of ASCII letters, digits, hyphens and periods.")
            }
            return identifier
        }
    )
    var bundleIdentifier: BundleIdentifier?

    @Option(
        help: ArgumentHelp("The program's entitlements, a property list.", valueName: "file"),
        completion: .file(extensions: ["entitlements", "plist"])
    )
    var entitlements: String?

    @Flag(help: "Run without entitlements, whatever files the package has.")
    var withoutEntitlements = false

    @Option(help: ArgumentHelp("What $(AppIdentifierPrefix) stands for, such as TEAMID.", valueName: "prefix"))
    var prefix: String?

    @Flag(help: "Set a random passcode for the device, and run the tests unlocked.")
    var withPasscode = false

    @Option(help: ArgumentHelp("Where Scripts/install put the toolsets.", valueName: "folder"), completion: .directory)
    var toolsets: String?

    func validate() throws {
        guard entitlements == nil || !withoutEntitlements else {
            throw ValidationError("--entitlements and --without-entitlements exclude each other.")
        }
    }

    private static func platform(_ text: String) throws -> String {
        guard ["iOS", "macOS"].contains(text) else { throw ValidationError("A platform is iOS or macOS.") }
        return text
    }
}
