// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainHost

/// How a package is tested, with reasons.
struct TestPlan {
    /// The toolsets to build with.
    private(set) var toolsets: [String] = []

    /// The additional environment variables of the tests.
    private(set) var environment: [(name: String, value: String)] = []

    /// The bundle identifier for the tests.
    let bundleIdentifier: BundleIdentifier

    /// The program's entitlements; `nil` for none.
    private(set) var entitlements: EntitlementsFile?

    /// One line for each choice, with its reason.
    private(set) var choices: [String] = []

    private let package: PackageSurvey
    private let options: TestOptions
    private let variable: (String) -> String?

    /// Makes the choices.
    ///
    /// - Parameters:
    ///   - package: the package to test.
    ///   - present: the identifier that its programs already have.
    ///   - options: the user's choices.
    ///   - variable: returns the value of an environment variable.
    /// - Throws: ``Refusal`` if there is no toolset, or the entitlements cannot be read.
    init(
        _ package: PackageSurvey,
        present: BundleIdentifier?,
        _ options: TestOptions,
        variable: @escaping (String) -> String?
    ) throws(Refusal) {
        self.package = package
        self.options = options
        self.variable = variable
        let suggestion = BundleIdentifier.suggestion(for: package.name)
        bundleIdentifier = options.bundleIdentifier ?? present ?? BundleIdentifier(rawValue: suggestion) ?? .example
        try chooseToolsets()
        warnOfWhatLinuxLacks()
        choices.append("keychain: a new one for this run; your own is not touched")
        explainBundleIdentifier(present)
        try chooseEntitlements()
        choosePlatform()
        explainPasscode()
        chooseAuthenticator()
    }

    // MARK: - Toolsets

    private mutating func chooseToolsets() throws(Refusal) {
        guard !package.dependsOnKeychain else {
            choices.append("toolset: none, because the package depends on swift-keychain itself")
            return
        }
        let installed = try InstalledToolsets(folder: options.toolsets)
        if package.dependencies.contains("swift-atomics") {
            toolsets.append(installed.path("explicit"))
            choices.append("toolset: \(toolsets[0]), because swift-atomics does not compile with the plain one")
        } else {
            toolsets.append(installed.path())
            choices.append("toolset: \(toolsets[0]), because the package does not name swift-keychain")
        }
        for module in installed.modules { choosePart(module, installed.path(module)) }
    }

    private mutating func choosePart(_ module: String, _ path: String) {
        let imports = (Self.otherNames[module, default: []] + [module]).compactMap { package.sources.imports[$0] }
        guard let found = imports.first(where: { !$0.isGuarded }) ?? imports.first else { return }
        if module == "CryptoKit" {
            // Its library has a swift-crypto of its own.
            guard !package.dependencies.contains("swift-crypto") else {
                choices.append("toolset for CryptoKit: none, because the package depends on swift-crypto")
                return
            }
        } else if found.isGuarded, module != "CoreFoundation" {
            // The package can do without it. There is always a CoreFoundation, whose names are ambiguous beside ours.
            return
        }
        toolsets.append(path)
        choices.append("toolset for \(module): \(path), because \(found.place) imports it")
    }

    /// Other modules that a part of the toolset includes.
    private static let otherNames = ["os": ["OSLog"]]

    private mutating func warnOfWhatLinuxLacks() {
        for (module, place) in package.sources.appleOnlyImports {
            choices.append(
                "'no such module' to expect: \(place) imports \(module.rawValue), which Linux lacks; \(module.remedy)"
            )
        }
        if let place = package.sources.objectiveCDeclaration {
            choices.append(
                "'Objective-C interoperability is disabled' to expect: \(place) has @objc, which Linux lacks; "
                    + "put the attribute into '#if canImport(ObjectiveC)'"
            )
        }
    }

    // MARK: - The program

    private mutating func explainBundleIdentifier(_ present: BundleIdentifier?) {
        let why =
            if options.bundleIdentifier != nil { "as you said" } else if present != nil {
                "as Info.plist in the folder of the build has it, maybe since an earlier run; --bundle-identifier names another"
            } else {
                "by the package's name, because there is none on Linux; --bundle-identifier names another"
            }
        choices.append("bundle identifier: \(bundleIdentifier.rawValue), \(why)")
    }

    private mutating func chooseEntitlements() throws(Refusal) {
        if options.withoutEntitlements {
            environment.append((Self.entitlementsVariable, ""))
            choices.append("entitlements: none, as you said")
        } else if let path = options.entitlements {
            try useEntitlements(URL(fileURLWithPath: path), "\(path), as you said")
        } else if let path = variable(Self.entitlementsVariable) {
            choices.append("entitlements: \(path), because \(Self.entitlementsVariable) names it")
        } else {
            try useOwnEntitlements()
        }
    }

    private mutating func useOwnEntitlements() throws(Refusal) {
        let files = package.entitlements
        let useful = files.filter { EntitlementsFile.namesGroups(package.folder.appendingPathComponent($0)) }
        guard let nearest = useful.first else {
            let what = files.isEmpty ? "the package has no .entitlements file" : "no .entitlements file names a group"
            return choices.append("entitlements: none, because \(what)")
        }
        let others = useful.dropFirst().joined(separator: ", ")
        let which = others.isEmpty ? "the package's own" : "the nearest; --entitlements chooses another: \(others)"
        try useEntitlements(package.folder.appendingPathComponent(nearest), "\(nearest), \(which)")
    }

    private mutating func useEntitlements(_ url: URL, _ what: String) throws(Refusal) {
        let (prefix, why) = prefix
        let file = try EntitlementsFile(url, prefix: prefix, bundleIdentifier: bundleIdentifier.rawValue)
        entitlements = file
        let unknown = file.unknownVariables.joined(separator: ", ")
        let remark = unknown.isEmpty ? "" : "; not known here and left as they are: \(unknown)"
        choices.append("entitlements: \(what)\(remark); not of virtual devices, which take .keychain(entitlements: …)")
        choices.append("prefix of application identifiers: \(prefix), \(why)")
    }

    private var prefix: (String, why: String) {
        if let prefix = options.prefix { return (prefix, "as you said") }
        if let prefix = variable(Self.prefixVariable) { return (prefix, "because \(Self.prefixVariable) says so") }
        if let team = package.developmentTeam { return ("\(team).", "the team of the package's Xcode projects") }
        return ("TEAMID.", "because no Xcode project names one team; --prefix names another")
    }

    // MARK: - The device

    private mutating func choosePlatform() {
        let sources = package.sources
        if let platform = options.platform {
            choose(platform, "as you said")
        } else if let platform = variable(Self.platformVariable) {
            choose(platform, "because \(Self.platformVariable) says so")
        } else if let place = sources.macOSBranches.first {
            choose("macOS", "because Linux compiles the branch of macOS at \(place); --platform iOS is stricter")
        } else if let place = sources.iOSBranches.first {
            choose("iOS", "because Linux compiles the branch of iOS at \(place)")
        } else {
            choose("iOS", "the stricter one, because no keychain code depends on the platform")
        }
    }

    private mutating func choose(_ platform: String, _ why: String) {
        environment.append((Self.platformVariable, platform))
        choices.append("platform: \(platform), \(why); also of virtual devices, unless a test names theirs")
    }

    private mutating func explainPasscode() {
        choices.append(
            options.withPasscode
                ? "passcode: a random one; the tests run unlocked"
                : "passcode: none; --with-passcode sets one, for items that need it"
        )
    }

    private mutating func chooseAuthenticator() {
        if let value = variable(Self.authenticatorVariable) {
            choices.append("owner: \(value), because \(Self.authenticatorVariable) says so")
        } else {
            environment.append((Self.authenticatorVariable, "none"))
            choices.append("owner: there are no prompts; for items that prompt, see KeychainTesting")
        }
    }

    static let entitlementsVariable = "SWIFT_KEYCHAIN_ENTITLEMENTS"
    private static let prefixVariable = "SWIFT_KEYCHAIN_APP_IDENTIFIER_PREFIX"
    private static let platformVariable = "SWIFT_KEYCHAIN_PLATFORM"
    private static let authenticatorVariable = "SWIFT_KEYCHAIN_AUTHENTICATOR"
}
