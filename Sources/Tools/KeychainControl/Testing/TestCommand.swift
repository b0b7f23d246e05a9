// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import FoundationEssentials
import KeychainEngine
import KeychainHost

/// `keychainctl test`: runs a package's own tests with everything that the keychain needs.
struct TestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Tests a package that was written for Apple's platforms, as it is.",
        usage: "keychainctl test [<options>] [-- <arguments> ...]",
        discussion: CommandDiscussion.text(
            """
            In the folder of a package. It chooses a toolset, a keychain that is removed afterwards, a bundle identifier, \
            entitlements and a platform, says each choice with its reason, and runs 'swift test' with what follows --. The \
            exit status is that of 'swift test'.
            """,
            examples: [
                "keychainctl test": "Runs the tests of the package in this folder.",
                "keychainctl test -- --filter Session": "Passes an option to swift test.",
            ]
        )
    )

    @OptionGroup var options: TestOptions

    // Not .postTerminator: the error for an option before -- would not say that it belongs after it.
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("Arguments for swift test, after --.", valueName: "arguments")
    )
    var words: [String] = []

    /// The arguments for `swift test`.
    private var arguments: [String] { Array(words.drop { $0 != Self.separator }.dropFirst()) }

    private static let separator = "--"

    func validate() throws {
        let misplaced = words.prefix { $0 != Self.separator }
        guard !misplaced.isEmpty else { return }
        let all = (misplaced + arguments).joined(separator: " ")
        throw ValidationError(
            """
            Unknown here: \(misplaced.joined(separator: " ")). Arguments for swift test follow --: keychainctl test -- \(all)
            """
        )
    }

    func run() throws {
        let surroundings = Surroundings.current
        let given = SwiftTestArguments(all: arguments)
        let package = try PackageSurvey(given) { words throws(Refusal) in try surroundings.output(words) }
        let folder = try programFolder(given, surroundings)
        let present = try folder.bundleIdentifier().flatMap(BundleIdentifier.init)
        let plan = try TestPlan(package, present: present, options, variable: ProcessEnvironment.value)
        for choice in plan.choices { surroundings.remark("keychainctl: \(choice)") }
        try folder.setBundleIdentifier(plan.bundleIdentifier)

        let keychain = try ThrowAwayKeychain()
        defer { keychain.remove() }
        let offer = options.withPasscode ? try keychain.setPasscode() : nil
        defer { offer?.withdraw() }
        let status = try surroundings.run(command(for: plan, in: keychain, arguments: given), offer)
        guard status == 0 else { throw ExitCode(status) }
    }

    /// The folder where the tests will be built.
    private func programFolder(
        _ arguments: SwiftTestArguments,
        _ surroundings: Surroundings
    ) throws -> ProgramFolder {
        let output = try surroundings.output(["swift", "build", "--show-bin-path"] + arguments.ofBuild)
        guard let path = output.split(separator: "\n").last.map(String.init), path.hasPrefix("/") else {
            throw Refusal("the package manager does not say where it builds; try 'swift build --show-bin-path'")
        }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return try ProgramFolder(path: path)
    }

    private func command(
        for plan: TestPlan,
        in keychain: ThrowAwayKeychain,
        arguments: SwiftTestArguments
    ) throws(Refusal) -> [String] {
        var environment = plan.environment
        environment.append(("SWIFT_KEYCHAIN_HOME", keychain.path))
        if let entitlements = plan.entitlements {
            try entitlements.write(to: keychain.entitlementsPath)
            environment.append((TestPlan.entitlementsVariable, keychain.entitlementsPath))
        }
        let variables = environment.map { "\($0.name)=\($0.value)" }
        let toolsets = plan.toolsets.flatMap { ["--toolset", $0] }
        return ["env"] + variables + ["swift", "test"] + toolsets + arguments.all
    }
}
