// swift-tools-version: 6.2
import PackageDescription

// The table of all products and targets, one entry each.
//
// The manifest is the same on every host, because a host may build for another platform. Apple platforms have Security,
// LocalAuthentication and CryptoKit themselves: there the products of these names pass on the system's modules. The
// targets of the same names are built for Linux only; elsewhere they would hide the system's.
let onLinux: TargetDependencyCondition? = .when(platforms: [.linux])

// The products that a release promises; the table in README names the same ones.
let supportedProducts: [Product] = [
    // For every platform.
    .library(name: "Security", targets: ["SecurityProduct"]),
    .library(name: "LocalAuthentication", targets: ["LocalAuthenticationProduct"]),
    .library(name: "CryptoKit", targets: ["CryptoKitProduct"]),
    // Not of the keychain, but what code around it imports; see Documentation/Architecture.md, "Thin modules".
    .library(name: "CommonCrypto", targets: ["CommonCryptoProduct"]),
    .library(name: "PortableOS", targets: ["PortableOS"]),
    // The same under names that no other package asks for; see Documentation/Architecture.md, "Three ways in".
    .library(name: "PortableSecurity", targets: ["PortableSecurity"]),
    .library(name: "PortableLocalAuthentication", targets: ["PortableLocalAuthentication"]),
    // A typed API on top, and what programs do with it again and again.
    .library(name: "Keychain", targets: ["Keychain"]),
    .library(name: "KeychainRecipes", targets: ["KeychainRecipes"]),
    // A device in a test; empty on Apple platforms.
    .library(name: "KeychainTesting", targets: ["KeychainTestingProduct"]),

    // For Linux only. The modules of Apple's names themselves: SwiftPM applies a client's module aliases to no others.
    .library(name: "LinuxSecurity", targets: ["Security"]),
    .library(name: "LinuxLocalAuthentication", targets: ["LocalAuthentication"]),
    // A device for programs, which link no testing library.
    .library(name: "KeychainSimulation", targets: ["KeychainSimulation"]),
    .executable(name: "security", targets: ["security-tool"]),
    .executable(name: "keychainctl", targets: ["keychainctl"]),
    .executable(name: "keychaind", targets: ["keychaind"]),
    // What git, docker, cargo and others run for their credentials, under a name for each.
    .executable(name: "keychain-helper", targets: ["keychain-helper"]),
    // Misuse of the keychain found in source code; works with the trait Lint.
    .executable(name: "keychain-lint", targets: ["keychain-lint"]),
    .plugin(name: "KeychainLintCommand", targets: ["KeychainLintCommand"]),
    .plugin(name: "KeychainLintBuild", targets: ["KeychainLintBuild"]),
]

// For this repository's own tests: they may change in any release.
let internalProducts: [Product] = [
    .executable(name: "conformance", targets: ["conformance-runner"]),
    .library(name: "KeychainLint", targets: ["KeychainLint", "KeychainLintParsing"]),
]

// Without the plug-ins, whose tool SwiftPM compiles apart with all that it is made of, tests are built faster.
let hasPlugins = Context.environment["SWIFT_KEYCHAIN_PLUGINS"] != "off"

var products = (supportedProducts + internalProducts).filter { hasPlugins || !($0 is Product.Plugin) }

let dependencies: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    // Only with the trait Lint, else neither fetched nor built.
    .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
]

let traits: Set<Trait> = [
    .trait(name: "Lint", description: "The linter for keychain code, keychain-lint; brings swift-syntax.")
]

let lint: TargetDependencyCondition? = .when(traits: ["Lint"])

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

// For the modules that `Security` imports, however deep: they declare functions of C instead of importing modules of C,
// which a package could not load whose canImport(Security) has become true (Architecture, "Three ways in").
let externFunctions = SwiftSetting.enableExperimentalFeature("Extern")

// What is not said to be public in Apple's API must not be needed to use it.
let appleAPI: [SwiftSetting] = [.enableUpcomingFeature("InternalImportsByDefault")]

// The commands of a package or an archive run where no toolchain is, nor a C library as new as that of the builder
// (Scripts/Installation/build.sh). In a package, keychaind is linked with the libraries of the system, libsystemd among
// them, which has no static form; in an archive (`daemon`) it is without it.
let staticTools = Context.environment["SWIFT_KEYCHAIN_STATIC_TOOLS"]
let isDaemonStatic = staticTools == "daemon"

/// Modules of one purpose: a folder below Sources.
struct Group {
    let folder: String
    let purpose: String
    let targets: [Target]
}

// From the lowest to the highest: a module depends on modules of its own group and of those before it. The module map
// of Documentation/Architecture.md is made of this table, with the line above each target (Scripts/module-map).
let groups: [Group] = [
    Group(
        folder: "Host",
        purpose: "the operating system: C, files, processes, sessions",
        targets: [
            // The system's SQLite.
            .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
            // The system's libsystemd.
            .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
            // System calls and functions of C that Swift on Linux cannot call.
            .target(name: "CKeychainSupport"),
            // The functions of CKeychainSupport for modules that import no module of C.
            .target(
                name: "KeychainSupport",
                dependencies: ["CKeychainSupport"],
                swiftSettings: appleAPI + [externFunctions]
            ),
            // Private folders, lock files, locked memory, threads, the environment.
            .target(name: "KeychainHost", dependencies: ["KeychainSupport"]),
            // Connections to a message bus, and messages value by value, with sd-bus.
            .target(name: "MessageBus", dependencies: ["CSystemd"]),
            // Sessions and sleep, from logind over D-Bus.
            .target(
                name: "LoginManager",
                dependencies: isDaemonStatic ? [] : ["MessageBus", "CSystemd"],
                exclude: [isDaemonStatic ? "Bus" : "Static"]
            ),
        ]
    ),
    Group(
        folder: "Values",
        purpose: "tables, statuses, commands, references: data, no I/O",
        targets: [
            // The tables, statuses, commands and replies.
            .target(name: "KeychainCore", dependencies: ["KeychainSupport"]),
            // Examples of commands, and what a mistyped word may have meant.
            .target(name: "CommandHelp"),
        ]
    ),
    Group(
        folder: "Certificates",
        purpose: "keys, certificates, their formats, and trust",
        targets: [
            // Keys and algorithms.
            .target(name: "KeychainKeys", dependencies: ["KeychainCore", crypto, cryptoExtras]),
            // Checks a property list of others before Foundation parses it.
            .target(name: "KeychainPropertyLists", dependencies: ["KeychainCore"]),
            // What one certificate says, and the reader of ASN.1 fields.
            .target(name: "KeychainCertificates", dependencies: ["KeychainCore", asn1, crypto]),
            // PEM, PKCS #8, PKCS #12 and CMS, and which items a file has.
            .target(
                name: "KeychainContainers",
                dependencies: ["KeychainCore", "KeychainKeys", "KeychainCertificates", asn1, crypto, cryptoExtras]
            ),
            // Signed and encrypted messages: verifies, signs, decrypts and encrypts.
            .target(
                name: "KeychainMessages",
                dependencies: ["KeychainCore", "KeychainKeys", "KeychainCertificates", "KeychainContainers", crypto]
            ),
            // OpenSSL 3, which is loaded when it is needed: certificates, chains, OCSP responses.
            .target(name: "CKeychainOpenSSL"),
            // Judges chains of certificates, with OpenSSL.
            .target(
                name: "KeychainTrust",
                dependencies: [
                    "KeychainCore", "KeychainHost", "KeychainSupport", "KeychainCertificates", "KeychainPropertyLists",
                    "CKeychainOpenSSL", crypto,
                ],
                swiftSettings: appleAPI + [externFunctions]
            ),
        ]
    ),
    Group(
        folder: "Engine",
        purpose: "all the rules of the data protection keychain",
        targets: [
            // Rows in SQLite; no keys.
            .target(
                name: "KeychainStore",
                dependencies: ["KeychainCore", "KeychainHost", "CKeychainSupport", "CSQLite"]
            ),
            // The keys of the device, sealing, the enclave; no SQL.
            .target(
                name: "KeychainProtection",
                dependencies: [
                    "KeychainCore", "KeychainKeys", "KeychainHost", "CKeychainSupport", crypto, cryptoExtras,
                ]
            ),
            // Synchronization between devices: formats, chain, membership, sealing, merging; no I/O, no store.
            .target(name: "KeychainSync", dependencies: ["KeychainCore", crypto]),
            // Rounds of synchronization: the interface of engines, applying, merging, sending; the store is a protocol.
            .target(name: "KeychainSynchronization", dependencies: ["KeychainSync", "KeychainCore"]),
            // The rules: queries, access, the operations; no SQL, no key bytes.
            .target(
                name: "KeychainEngine",
                dependencies: [
                    "KeychainCore", "KeychainHost", "KeychainCertificates", "KeychainProtection", "KeychainStore",
                    "CKeychainSupport", asn1,
                ]
            ),
        ]
    ),
    Group(
        folder: "Files",
        purpose: "file-based keychains as on macOS, in a format of this package",
        targets: [
            // The front end of macOS: names, routes and merging of two keychains.
            .target(
                name: "KeychainMacFrontEnd",
                dependencies: ["KeychainCore", "KeychainCertificates", "KeychainHost"],
                swiftSettings: appleAPI
            ),
            // Keychain files, executed as commands.
            .target(
                name: "KeychainFiles",
                dependencies: [
                    "KeychainCore", "KeychainEngine", "KeychainMacFrontEnd", "KeychainProtection", "KeychainHost",
                    crypto,
                ]
            ),
        ]
    ),
    Group(
        folder: "Daemon",
        purpose: "a keychain behind a socket, for programs that are identified",
        targets: [
            // Commands and replies as bytes.
            .target(name: "KeychainWire", dependencies: ["KeychainCore", "KeychainHost", "CKeychainSupport", crypto]),
            // Connections of programs, and their limits.
            .target(
                name: "KeychainServer",
                dependencies: ["KeychainWire", "KeychainCore", "KeychainHost", "CKeychainSupport"]
            ),
            // A message bus of D-Bus for where there is no session bus.
            .target(
                name: "KeychainBus",
                dependencies: ["KeychainServer", "KeychainWire", "KeychainCore", "KeychainHost", "CKeychainSupport"]
            ),
            // A backend that sends its commands to a daemon.
            .target(
                name: "KeychainClient",
                dependencies: ["KeychainWire", "KeychainCore", "KeychainHost", "CKeychainSupport"]
            ),
            // A daemon that the first command starts.
            .target(
                name: "KeychainOnDemand",
                dependencies: [
                    "KeychainClient", "KeychainWire", "KeychainEngine", "KeychainMacFrontEnd", "KeychainProtection",
                    "KeychainCore", "KeychainHost",
                ]
            ),
            // Which program a process is, and its groups.
            .target(
                name: "KeychainIdentity",
                dependencies: ["KeychainCore", "KeychainHost", "CKeychainSupport", crypto]
            ),
            // The log of who used what.
            .target(name: "KeychainAudit", dependencies: ["KeychainCore", "KeychainHost"]),
            // How the user is prompted: terminal, pinentry, a script; and secrets that come in by a descriptor.
            .target(
                name: "KeychainAuthenticators",
                dependencies: ["KeychainCore", "KeychainHost", "CKeychainSupport"]
            ),
            // The Secret Service API over D-Bus, in front of the server.
            .target(
                name: "KeychainSecretService",
                dependencies: [
                    "KeychainServer", "KeychainMacFrontEnd", "KeychainTrust", "KeychainKeys", "KeychainCore",
                    "KeychainHost", "CKeychainOpenSSL", "CKeychainSupport", crypto, cryptoExtras,
                ] + (isDaemonStatic ? [] : ["MessageBus"]),
                exclude: [isDaemonStatic ? "Service" : "Static"]
            ),
            // The user's daemon and the system service.
            .target(
                name: "KeychainDaemon",
                dependencies: [
                    "KeychainServer", "KeychainSecretService", "KeychainBus", "KeychainIdentity", "KeychainAudit",
                    "KeychainOnDemand", "KeychainClient", "KeychainWire", "KeychainEngine", "KeychainFiles",
                    "KeychainMacFrontEnd", "KeychainProtection",
                    "KeychainStore", "KeychainCore", "KeychainTrust", "KeychainAuthenticators", "CommandHelp",
                    "KeychainHost", "LoginManager", "CKeychainSupport", arguments,
                ]
            ),
            // The daemon.
            .executableTarget(name: "keychaind", dependencies: ["KeychainDaemon", "KeychainProtection"]),
        ]
    ),
    Group(
        folder: "API",
        purpose: "Apple's API, and a typed one",
        targets: [
            // Calls as lines of a file.
            .target(
                name: "KeychainTrace",
                dependencies: ["KeychainCore", "KeychainHost", "KeychainSupport", crypto, logging],
                swiftSettings: appleAPI
            ),
            // The user's own keychain: which backend executes a command.
            .target(
                name: "KeychainRouting",
                dependencies: [
                    "KeychainCore", "KeychainEngine", "KeychainOnDemand", "KeychainClient", "KeychainAuthenticators",
                    "KeychainTrust", "KeychainHost", "CKeychainSupport",
                ]
            ),
            // Apple's names and shapes of Security; no rules.
            .target(
                name: "KeychainServices",
                dependencies: [
                    "KeychainCore", "KeychainKeys", "KeychainCertificates", "KeychainContainers", "KeychainMessages",
                    "KeychainMacFrontEnd", "KeychainRouting", "KeychainHost", "KeychainTrace", "KeychainPropertyLists",
                    "KeychainTrust", "CKeychainSupport", logging,
                ],
                swiftSettings: appleAPI + [externFunctions]
            ),
            // Re-exports KeychainServices; on Apple platforms, the system's Security.
            .target(
                name: "PortableSecurity",
                dependencies: [.target(name: "KeychainServices", condition: onLinux)],
                path: "Sources/API/Reexports/PortableSecurity",
                swiftSettings: appleAPI
            ),
            // Re-exports PortableSecurity.
            .target(
                name: "Security",
                dependencies: ["PortableSecurity"],
                path: "Sources/API/Reexports/Security",
                swiftSettings: appleAPI
            ),
            // LAContext and LAError.
            .target(
                name: "LocalAuthenticationServices",
                dependencies: ["PortableSecurity", "KeychainServices", "KeychainCore"],
                swiftSettings: appleAPI
            ),
            // Re-exports LocalAuthenticationServices; on Apple platforms, the system's.
            .target(
                name: "PortableLocalAuthentication",
                dependencies: [.target(name: "LocalAuthenticationServices", condition: onLinux)],
                path: "Sources/API/Reexports/PortableLocalAuthentication",
                swiftSettings: appleAPI
            ),
            // Re-exports PortableLocalAuthentication.
            .target(
                name: "LocalAuthentication",
                dependencies: ["PortableLocalAuthentication", "Security"],
                path: "Sources/API/Reexports/LocalAuthentication",
                swiftSettings: appleAPI
            ),
            // Re-exports swift-crypto, with SecureEnclave.
            .target(
                name: "CryptoKit",
                dependencies: ["KeychainServices", "PortableLocalAuthentication", crypto],
                swiftSettings: appleAPI
            ),
            // The headers of CommonCrypto; not of the keychain.
            .target(name: "CommonCrypto"),
            // The functions of CommonCrypto, with swift-crypto.
            .target(name: "CommonCryptoFunctions", dependencies: ["CommonCrypto", crypto, cryptoExtras]),
            // os_unfair_lock.
            .target(name: "CUnfairLock"),
            // Logger, os_log and locks; not of the keychain.
            .target(name: "OSServices", dependencies: ["CUnfairLock", logging], swiftSettings: appleAPI),
            // Re-exports OSServices; on Apple platforms, the system's.
            .target(
                name: "PortableOS",
                dependencies: [.target(name: "OSServices", condition: onLinux)],
                path: "Sources/API/Reexports/PortableOS",
                swiftSettings: appleAPI
            ),
            // The product Security.
            .target(
                name: "SecurityProduct",
                dependencies: [.target(name: "Security", condition: onLinux)],
                path: "Sources/API/Reexports/SecurityProduct"
            ),
            // The product LocalAuthentication.
            .target(
                name: "LocalAuthenticationProduct",
                dependencies: [.target(name: "LocalAuthentication", condition: onLinux)],
                path: "Sources/API/Reexports/LocalAuthenticationProduct"
            ),
            // The product CryptoKit.
            .target(
                name: "CryptoKitProduct",
                dependencies: [.target(name: "CryptoKit", condition: onLinux)],
                path: "Sources/API/Reexports/CryptoKitProduct"
            ),
            // The product CommonCrypto.
            .target(
                name: "CommonCryptoProduct",
                dependencies: [
                    .target(name: "CommonCrypto", condition: onLinux),
                    .target(name: "CommonCryptoFunctions", condition: onLinux),
                ],
                path: "Sources/API/Reexports/CommonCryptoProduct"
            ),
            // A typed API; on Apple platforms over the system's Security.
            .target(
                name: "Keychain",
                dependencies: [
                    "PortableSecurity", "PortableLocalAuthentication",
                    .target(name: "KeychainServices", condition: onLinux),
                    .target(name: "KeychainCore", condition: onLinux),
                    .target(name: "KeychainEngine", condition: onLinux),
                    .target(name: "KeychainAuthenticators", condition: onLinux),
                    .target(name: "KeychainProtection", condition: onLinux),
                    .target(name: "KeychainStore", condition: onLinux),
                    .product(name: "Crypto", package: "swift-crypto", condition: onLinux),
                ],
                swiftSettings: appleAPI
            ),
            // What programs do again and again: migrations, tokens, device keys.
            .target(
                name: "KeychainRecipes",
                dependencies: [
                    "Keychain", "PortableSecurity", "PortableLocalAuthentication",
                    .target(name: "CryptoKit", condition: onLinux),
                ],
                swiftSettings: appleAPI
            ),
        ]
    ),
    Group(
        folder: "Testing",
        purpose: "a device in a test, and why a call failed",
        targets: [
            // Explains why a call failed.
            .target(name: "KeychainDoctor", dependencies: ["KeychainCore"]),
            // A device, apps, an owner, faults, a log of calls.
            .target(
                name: "KeychainSimulation",
                dependencies: [
                    "KeychainCore", "KeychainDoctor", "KeychainEngine", "KeychainFiles", "KeychainMacFrontEnd",
                    "KeychainHost", "KeychainAuthenticators", "KeychainProtection", "KeychainStore", "KeychainServices",
                    "KeychainTrust",
                ],
                swiftSettings: appleAPI
            ),
            // What synchronizable items of several devices travel through, in a test.
            .target(
                name: "KeychainCloud",
                dependencies: [
                    "KeychainSimulation", "KeychainSynchronization", "KeychainSync", "KeychainEngine", "KeychainCore",
                ],
                swiftSettings: appleAPI
            ),
            // Traits, scenarios and the contract suite.
            .target(
                name: "KeychainTesting",
                dependencies: [
                    "KeychainSimulation", "KeychainCore", "KeychainServices", "KeychainTrace", "PortableSecurity",
                    "PortableLocalAuthentication", "CKeychainSupport",
                ],
                swiftSettings: appleAPI
            ),
            // The product KeychainTesting.
            .target(
                name: "KeychainTestingProduct",
                dependencies: [
                    .target(name: "KeychainTesting", condition: onLinux),
                    .target(name: "KeychainCloud", condition: onLinux),
                ]
            ),
        ]
    ),
    Group(
        folder: "Tools",
        purpose: "commands: they parse arguments and print",
        targets: [
            // What the command security does.
            .target(
                name: "SecurityTool",
                dependencies: [
                    "KeychainCore", "KeychainEngine", "KeychainFiles", "KeychainMacFrontEnd", "KeychainKeys",
                    "KeychainCertificates",
                    "KeychainContainers", "KeychainMessages", "KeychainTrust", "KeychainHost", "KeychainAuthenticators",
                    "CKeychainSupport", "CommandHelp", crypto,
                ]
            ),
            // The command security.
            .executableTarget(
                name: "security-tool",
                dependencies: [
                    "SecurityTool", "KeychainCore", "KeychainRouting", "KeychainProtection", "KeychainAuthenticators",
                ]
            ),
            // What git, docker, cargo, kubectl and others ask for credentials: their protocols, and the items.
            .target(
                name: "CredentialHelpers",
                dependencies: ["KeychainCore", "KeychainHost", "KeychainAuthenticators"]
            ),
            // The program that they run, under a name for each.
            .executableTarget(
                name: "keychain-helper",
                dependencies: ["CredentialHelpers", "KeychainCore", "KeychainRouting", "KeychainProtection"]
            ),
            // What keychainctl does.
            .target(
                name: "KeychainControl",
                dependencies: [
                    "KeychainCore", "KeychainDoctor", "KeychainEngine", "KeychainRouting", "KeychainIdentity",
                    "KeychainAudit", "KeychainTrace", "KeychainHost", "KeychainAuthenticators", "KeychainProtection",
                    "KeychainPropertyLists", "KeychainMacFrontEnd", "KeychainWire", "KeychainOnDemand",
                    "KeychainClient", "KeychainBus",
                    "CKeychainSupport", "CommandHelp", "CredentialHelpers", arguments, crypto, cryptoExtras,
                ]
            ),
            // Manual pages of commands.
            .target(name: "CommandManual", dependencies: ["CommandHelp"]),
            // Writes the manual pages, and the completion of security.
            .executableTarget(
                name: "command-manual",
                dependencies: ["CommandManual", "SecurityTool", "KeychainControl", "KeychainCore", arguments]
            ),
            // The command keychainctl.
            .executableTarget(name: "keychainctl", dependencies: ["KeychainControl", "KeychainProtection", arguments]),
            // The rules of the linter, over a syntax tree of its own.
            .target(name: "KeychainLint", dependencies: ["KeychainCore", "CommandHelp"]),
            // The parsers that make its syntax tree, with swift-syntax and Yams.
            .target(
                name: "KeychainLintParsing",
                dependencies: [
                    "KeychainLint", .product(name: "SwiftSyntax", package: "swift-syntax", condition: lint),
                    .product(name: "SwiftParser", package: "swift-syntax", condition: lint),
                    .product(name: "Yams", package: "Yams", condition: lint),
                ]
            ),
            // The linter.
            .executableTarget(
                name: "keychain-lint",
                dependencies: ["KeychainLint", "KeychainLintParsing", "KeychainCore", "CommandHelp", arguments]
            ),
            // Shows the life of an item.
            .executableTarget(name: "keychain-quickstart", dependencies: ["Security", "KeychainProtection"]),
            // Writes the generated sources and the module map.
            .executableTarget(name: "generate-constants", dependencies: ["KeychainCore"]),
        ]
    ),
]

for group in groups {
    for target in group.targets where target.path == nil {
        target.path = "Sources/\(group.folder)/\(target.name)"
    }
}

let plugins: [Target] = [
    // `swift package keychain-lint`, and a lint at every build
    .plugin(
        name: "KeychainLintCommand",
        capability: .command(
            intent: .custom(verb: "keychain-lint", description: "Finds misuse of the keychain in source code.")
        ),
        dependencies: ["keychain-lint"]
    ),
    .plugin(name: "KeychainLintBuild", capability: .buildTool(), dependencies: ["keychain-lint"]),
]

// What the tests share, and programs for them.
let testSupport: [Target] = [
    .target(name: "CStormSupport", path: "Tests/Support/CStormSupport"),
    .executableTarget(
        name: "conformance-runner",
        dependencies: ["Conformance", "KeychainProtection"],
        path: "Tests/Support/conformance-runner"
    ),
    .executableTarget(
        name: "doctor-scenarios",
        dependencies: ["DoctorScenarios", "KeychainCore", "KeychainDoctor", "KeychainProtection"],
        path: "Tests/Support/doctor-scenarios"
    ),
    .executableTarget(
        name: "security-transcripts",
        dependencies: ["SecurityTranscripts", "security-tool", "keychaind"],
        path: "Tests/Support/security-transcripts"
    ),
    .executableTarget(name: "slowest-tests", path: "Tests/Support/slowest-tests"),
    .executableTarget(
        name: "keychain-storm",
        dependencies: [
            "KeychainEngine", "KeychainRouting", "KeychainCore", "KeychainWire", "KeychainHost", "KeychainProtection",
            "KeychainStore", "KeychainTestSupport", "CKeychainSupport", "CStormSupport", "CSQLite",
        ],
        path: "Tests/Support/keychain-storm"
    ),
    .executableTarget(name: "signed-program", path: "Tests/Support/signed-program"),
    .executableTarget(
        name: "keychain-peer",
        dependencies: ["KeychainServer", "KeychainClient", "KeychainWire", "KeychainCore", "CStormSupport"],
        path: "Tests/Support/keychain-peer"
    ),
    .executableTarget(
        name: "keychain-stray",
        dependencies: ["KeychainSimulation", "Security"],
        path: "Tests/Support/keychain-stray"
    ),
    .executableTarget(name: "keychain-items", dependencies: ["Security"], path: "Tests/Support/keychain-items"),
    // A program of the first revision of the format.
    .executableTarget(
        name: "former-keychain",
        dependencies: ["CSQLite", crypto],
        path: "Tests/Support/former-keychain"
    ),
    .executableTarget(
        name: "keychain-traced",
        dependencies: ["CStormSupport", "KeychainCore", "KeychainEngine", "KeychainServices", "Security"],
        path: "Tests/Support/keychain-traced"
    ),
    .target(
        name: "KeychainTestSupport",
        dependencies: [
            "KeychainCore", "KeychainEngine", "KeychainRouting", "KeychainProtection", "KeychainHost", "KeychainStore",
            "CSQLite", "CStormSupport", crypto,
        ],
        path: "Tests/Support/KeychainTestSupport"
    ),
    .target(
        name: "SyncTestSupport",
        dependencies: ["KeychainSynchronization", "KeychainSync", "KeychainCore", "KeychainTestSupport", crypto],
        path: "Tests/Support/SyncTestSupport"
    ),
    .target(
        name: "WireTestSupport",
        dependencies: ["KeychainWire", "KeychainCore"],
        path: "Tests/Support/WireTestSupport"
    ),
    .target(
        name: "ServerTestSupport",
        dependencies: [
            "KeychainServer", "KeychainClient", "KeychainWire", "KeychainCore", "KeychainHost", "KeychainTestSupport",
            "CKeychainSupport", "CStormSupport",
        ],
        path: "Tests/Support/ServerTestSupport"
    ),
    .target(
        name: "FrontTestSupport",
        dependencies: ["KeychainServer", "KeychainWire", "KeychainCore", "KeychainHost", "CKeychainSupport"],
        path: "Tests/Support/FrontTestSupport"
    ),
    .target(
        name: "Conformance",
        dependencies: [
            "Security", "LocalAuthentication", "KeychainCore", "KeychainEngine", "KeychainAuthenticators",
            "KeychainSimulation", "KeychainTrace", "KeychainWire", "KeychainServer", "KeychainClient", "KeychainDaemon",
            "KeychainIdentity", "ServerTestSupport",
        ],
        path: "Tests/Support/Conformance"
    ),
    .target(
        name: "SecurityTranscripts",
        dependencies: [
            "SecurityTool", "KeychainCore", "KeychainEngine", "KeychainFiles", "KeychainMacFrontEnd", "KeychainTrust",
            "KeychainHost",
            "KeychainTestSupport", "CStormSupport",
        ],
        path: "Tests/Support/SecurityTranscripts"
    ),
    .target(
        name: "DoctorScenarios",
        dependencies: [
            "Conformance", "KeychainDoctor", "KeychainAuthenticators", "KeychainCore", "KeychainFiles",
            "KeychainMacFrontEnd", "KeychainServices", "KeychainSimulation", "KeychainTestSupport",
        ],
        path: "Tests/Support/DoctorScenarios"
    ),
]

let tests: [Target] = [
    .testTarget(
        name: "KeychainCoreTests",
        dependencies: ["KeychainCore", "KeychainTestSupport", "generate-constants", "CSQLite"],
        exclude: ["Cases"]
    ),
    .testTarget(
        name: "KeychainWireTests",
        dependencies: ["KeychainWire", "KeychainCore", "KeychainTestSupport", "WireTestSupport"],
        exclude: ["Cases"]
    ),
    .testTarget(
        name: "KeychainServerTests",
        dependencies: [
            "KeychainServer", "KeychainClient", "KeychainWire", "KeychainCore", "KeychainEngine", "KeychainHost",
            "KeychainProtection", "KeychainAuthenticators", "KeychainTestSupport", "ServerTestSupport",
            "CKeychainSupport", "keychain-peer",
        ]
    ),
    .testTarget(
        name: "KeychainBusTests",
        dependencies: [
            "KeychainBus", "KeychainCore", "KeychainHost", "KeychainTestSupport", "ServerTestSupport",
            "CKeychainSupport", "CSystemd",
        ]
    ),
    .testTarget(
        name: "KeychainIdentityTests",
        dependencies: [
            "KeychainIdentity", "KeychainCore", "KeychainHost", "KeychainTestSupport", "CStormSupport",
            "signed-program", crypto,
        ],
        exclude: ["Cases"]
    ),
    .testTarget(name: "LoginManagerTests", dependencies: ["LoginManager", "MessageBus", "KeychainTestSupport"]),
    .testTarget(
        name: "KeychainSecretServiceTests",
        dependencies: [
            "KeychainSecretService", "KeychainServer", "KeychainEngine", "KeychainFiles", "KeychainMacFrontEnd",
            "KeychainCore", "KeychainHost", "MessageBus", "KeychainTestSupport", "ServerTestSupport",
        ]
    ),
    .testTarget(
        name: "KeychainDaemonTests",
        dependencies: [
            "KeychainDaemon", "KeychainSecretService", "KeychainAudit", "KeychainRouting", "KeychainServer",
            "KeychainClient", "KeychainOnDemand",
            "KeychainIdentity", "KeychainEngine", "KeychainFiles", "KeychainProtection", "KeychainAuthenticators",
            "KeychainWire", "KeychainCore", "KeychainCertificates",
            "KeychainTrust", "KeychainHost", "LoginManager", "KeychainTestSupport", "ServerTestSupport",
            "WireTestSupport", "FrontTestSupport", "CKeychainSupport", "CStormSupport", "keychaind", "keychainctl",
            "MessageBus", "security-tool", "keychain-items", "signed-program", "CommandHelp", "CommandManual",
            arguments,
        ]
    ),
    .testTarget(
        name: "KeychainTraceTests",
        dependencies: [
            "KeychainTrace", "KeychainServices", "KeychainCore", "KeychainEngine", "KeychainHost",
            "KeychainSupport", "KeychainTestSupport", "CStormSupport", "Security", crypto,
        ]
    ),
    .testTarget(
        name: "KeychainKeysTests",
        dependencies: ["KeychainKeys", "KeychainCore", "KeychainTestSupport", crypto],
        exclude: ["Cases"]
    ),
    .testTarget(
        name: "KeychainCertificatesTests",
        dependencies: ["KeychainCertificates", "KeychainCore", "KeychainTestSupport", asn1]
    ),
    .testTarget(
        name: "KeychainPropertyListsTests",
        dependencies: ["KeychainPropertyLists", "KeychainTestSupport"]
    ),
    .testTarget(
        name: "KeychainTrustTests",
        dependencies: ["KeychainTrust", "KeychainCertificates", "KeychainCore", "KeychainHost", "KeychainTestSupport"],
        exclude: ["Cases"]
    ),
    .testTarget(
        name: "KeychainContainersTests",
        dependencies: [
            "KeychainContainers", "KeychainCertificates", "KeychainKeys", "KeychainCore", "KeychainTestSupport", asn1,
        ]
    ),
    .testTarget(
        name: "CryptoKitTests",
        dependencies: [
            "CryptoKit", "Security", "LocalAuthentication", "KeychainServices", "KeychainCore", "KeychainEngine",
            "KeychainAuthenticators", "KeychainSimulation", "KeychainTestSupport",
        ]
    ),
    .testTarget(
        name: "CommonCryptoTests",
        dependencies: ["CommonCrypto", "CommonCryptoFunctions"]
    ),
    .testTarget(name: "OSTests", dependencies: ["OSServices", logging]),
    .testTarget(
        name: "KeychainProtectionTests",
        dependencies: ["KeychainProtection", "KeychainCore", "KeychainHost", "KeychainTestSupport", crypto]
    ),
    .testTarget(
        name: "KeychainMacFrontEndTests",
        dependencies: ["KeychainMacFrontEnd", "KeychainCertificates", "KeychainCore"]
    ),
    .testTarget(
        name: "KeychainFilesTests",
        dependencies: [
            "KeychainFiles", "KeychainMacFrontEnd", "KeychainEngine", "KeychainProtection", "KeychainCore",
            "KeychainTestSupport",
        ],
        exclude: ["Released"]
    ),
    .testTarget(
        name: "KeychainSynchronizationTests",
        dependencies: [
            "KeychainSynchronization", "KeychainSync", "KeychainCore", "SyncTestSupport", "KeychainTestSupport", crypto,
        ]
    ),
    .testTarget(
        name: "KeychainSyncTests",
        dependencies: ["KeychainSync", "KeychainCore", "KeychainTestSupport", crypto],
        exclude: ["Cases", "Format"]
    ),
    .testTarget(
        name: "KeychainStoreTests",
        dependencies: ["KeychainStore", "KeychainCore", "KeychainHost", "KeychainTestSupport", "CSQLite"]
    ),
    .testTarget(
        name: "KeychainEngineTests",
        dependencies: [
            "KeychainEngine", "KeychainCore", "KeychainHost", "KeychainProtection", "KeychainStore",
            "KeychainAuthenticators", "KeychainSimulation", "KeychainTestSupport", "CSQLite", crypto,
        ],
        exclude: [
            "Released/unreleased-1", "Released/unreleased-2", "Released/format-2", "Released/format-2-passcode",
            "Released/format-3", "Released/format-3-passcode", "Released/format-3.3-history",
            "Released/enclave-2", "Format/reader.py",
        ]
    ),
    .testTarget(
        name: "SecurityTests",
        dependencies: [
            "Security", "KeychainServices", "KeychainTrust", "KeychainCore", "KeychainEngine", "KeychainHost",
            "KeychainAuthenticators", "KeychainMacFrontEnd", "KeychainMessages", "KeychainSimulation",
            "KeychainTestSupport", "keychain-quickstart", "keychain-stray",
        ]
    ),
    // the examples of the linter's pages, run on a device
    .testTarget(name: "LintExampleTests", dependencies: ["KeychainLint", "KeychainTesting", "Security"]),
    .testTarget(
        name: "KeychainAuthenticatorsTests",
        dependencies: ["KeychainAuthenticators", "KeychainCore", "KeychainTestSupport"]
    ),
    .testTarget(
        name: "LocalAuthenticationTests",
        dependencies: [
            "LocalAuthentication", "PortableLocalAuthentication", "KeychainServices", "KeychainCore", "KeychainEngine",
            "KeychainAuthenticators", "KeychainTestSupport",
        ]
    ),
    .testTarget(
        name: "SecurityToolTests",
        dependencies: [
            "SecurityTool", "security-tool", "keychaind", "SecurityTranscripts", "Security", "KeychainServices",
            "KeychainFiles", "KeychainMacFrontEnd", "KeychainCore", "KeychainEngine", "KeychainHost",
            "KeychainProtection",
            "KeychainTestSupport", "CommandHelp", "KeychainControl",
        ],
        exclude: ["Cases"]
    ),
    .testTarget(
        name: "KeychainControlTests",
        dependencies: [
            "KeychainControl", "keychainctl", "keychain-traced", "security-tool", "keychain-helper", "keychaind",
            "former-keychain", "KeychainCore", "KeychainEngine", "KeychainStore", "KeychainHost", "KeychainRouting",
            "KeychainAuthenticators", "KeychainIdentity", "KeychainMacFrontEnd", "KeychainProtection", "KeychainFiles",
            "KeychainTrace", "KeychainWire", "KeychainPropertyLists", "KeychainTestSupport", "CStormSupport",
            "signed-program", "CommandHelp", "CommandManual", "SecurityTool", "KeychainSecretService",
            "KeychainServer", "ServerTestSupport", arguments,
        ],
        exclude: ["Cases"]
    ),
    .testTarget(
        name: "CredentialHelpersTests",
        dependencies: [
            "CredentialHelpers", "keychain-helper", "security-tool", "keychaind", "KeychainCore", "KeychainEngine",
            "KeychainHost", "KeychainAuthenticators", "KeychainTestSupport",
        ],
        exclude: ["Cases"]
    ),
    .testTarget(
        name: "KeychainProcessTests",
        dependencies: [
            "keychain-storm", "keychaind", "keychainctl", "security-tool", "KeychainRouting", "KeychainEngine",
            "KeychainCore", "KeychainClient", "KeychainWire", "KeychainHost", "KeychainProtection", "KeychainStore",
            "KeychainTestSupport", "ServerTestSupport", "CKeychainSupport", "CStormSupport", crypto,
        ]
    ),
    .testTarget(
        name: "KeychainTests",
        dependencies: [
            "Keychain", "KeychainTesting", "KeychainSimulation", "KeychainServices", "KeychainCore", "KeychainEngine",
            "KeychainHost", "KeychainAuthenticators", "KeychainTestSupport", "Security", "LocalAuthentication", crypto,
        ]
    ),
    .testTarget(
        name: "KeychainRecipesTests",
        dependencies: [
            "KeychainRecipes", "Keychain", "KeychainTesting", "KeychainServices", "KeychainCore", "KeychainEngine",
            "KeychainHost", "CryptoKit", "Security", "LocalAuthentication",
        ]
    ),
    .testTarget(
        name: "KeychainSimulationTests",
        dependencies: ["KeychainSimulation", "KeychainServices", "KeychainCore", "KeychainEngine", "Security"]
    ),
    .testTarget(
        name: "KeychainCloudTests",
        dependencies: ["KeychainCloud", "KeychainTesting", "KeychainSimulation", "Security"]
    ),
    .testTarget(
        name: "KeychainTestingTests",
        dependencies: [
            "Keychain", "KeychainTesting", "KeychainSimulation", "KeychainServices", "KeychainCore", "Security",
            "LocalAuthentication", "CStormSupport",
        ]
    ),
    .testTarget(
        name: "ConformanceTests",
        dependencies: [
            "Conformance", "KeychainCore", "KeychainEngine", "KeychainSimulation", "LocalAuthentication", "Security",
        ],
        exclude: ["Cases"]
    ),
    .testTarget(
        name: "KeychainDoctorTests",
        dependencies: ["KeychainDoctor", "DoctorScenarios", "KeychainCore", "KeychainTestSupport", crypto],
        exclude: ["Cases"]
    ),
    // the samples of the documentation
    .testTarget(
        name: "DocumentationTests",
        dependencies: [
            "Keychain", "KeychainControl", "KeychainRecipes", "KeychainTesting", "PortableOS", "keychainctl",
            "Security", "LocalAuthentication", "CryptoKit", crypto,
        ],
        exclude: ["Cases"]
    ),
    .testTarget(
        name: "FieldCodeSwift5Tests",
        dependencies: ["Security", "KeychainTesting"],
        swiftSettings: [.swiftLanguageMode(.v5)]
    ),
    .testTarget(name: "FieldCodeSwift6Tests", dependencies: ["Security", "KeychainTesting"]),
    // Examples/session-kit, whose own manifest its users see
    .target(
        name: "SessionKit",
        dependencies: ["Security", "LocalAuthentication"],
        path: "Examples/session-kit/Sources/SessionKit"
    ),
    .testTarget(
        name: "SessionKitTests",
        dependencies: ["SessionKit", "Security", "LocalAuthentication", "KeychainTesting"],
        path: "Examples/session-kit/Tests/SessionKitTests"
    ),
]

var targets = groups.flatMap(\.targets) + (hasPlugins ? plugins : []) + testSupport + tests

// The benchmarks (Scripts/benchmark), which nothing else builds. Of this package, because they measure modules that no
// product passes on.
if Context.environment["SWIFT_KEYCHAIN_BENCHMARKS"] != nil {
    // Preloaded into the daemon, by its file.
    products.append(.library(name: "slow-sync", type: .dynamic, targets: ["slow-sync"]))
    targets += [
        .executableTarget(
            name: "keychain-benchmarks",
            dependencies: [
                "Security", "KeychainSimulation", "KeychainEngine", "KeychainClient", "KeychainWire", "KeychainCore",
                "KeychainHost", "MessageBus", "CSQLite", crypto,
            ],
            path: "Benchmarks/keychain-benchmarks"
        ),
        .executableTarget(name: "benchmark-peer", path: "Benchmarks/benchmark-peer"),
        .target(name: "slow-sync", path: "Benchmarks/slow-sync"),
    ]
}

// The libraries that Scripts/install puts under a prefix. They hide what lies beneath Apple's API, so that a program
// may bring its own swift-log or swift-crypto; resilient modules can be imported without the modules that they are
// built on.
// Kept out of the ordinary manifest, because a target with such flags cannot be depended on by version.
if Context.environment["SWIFT_KEYCHAIN_INSTALLATION"] != nil {
    let apple = [
        "KeychainServices", "PortableSecurity", "Security",
        "LocalAuthenticationServices", "PortableLocalAuthentication", "LocalAuthentication",
    ]
    let libraries = [
        // The testing kit needs KeychainFiles, which uses swift-crypto: this library has the only copy of it.
        (name: "SwiftKeychain", targets: apple, others: ["KeychainFiles"], symbols: "Security"),
        (name: "SwiftKeychainOS", targets: ["OSServices"], others: [], symbols: "os"),
        (name: "SwiftKeychainCommonCrypto", targets: ["CommonCryptoFunctions"], others: [], symbols: "CommonCrypto"),
    ]
    for library in libraries {
        products.append(.library(name: library.name, type: .dynamic, targets: library.targets + library.others))
        for target in targets where library.targets.contains(target.name) {
            let map = "\(Context.packageDirectory)/Scripts/Installation/\(library.symbols)-symbols.map"
            // Calls of our own C functions reach no function of the program's that has the same name.
            let options = ["-Xlinker", "--version-script=\(map)", "-Xlinker", "-Bsymbolic-functions"]
            target.linkerSettings = [.unsafeFlags(options)]
            // The functions of CommonCrypto are reached by a module of C.
            guard target.name != "CommonCryptoFunctions" else { continue }
            target.swiftSettings?.append(.unsafeFlags(["-enable-library-evolution"]))
        }
    }
    // A test that force-unwraps a missing bundle identifier ends before its first call: only loading comes before.
    for target in targets where target.name == "CKeychainSupport" {
        target.cSettings = (target.cSettings ?? []) + [.define("SWIFT_KEYCHAIN_INSTALLATION")]
    }
    // The testing kit is a library of its own, which a test target links by importing it, as it does XCTest.
    for target in targets where ["KeychainSimulation", "KeychainTesting"].contains(target.name) {
        let library = "Swift\(target.name)"
        let options = ["-enable-library-evolution", "-module-link-name", library]
        target.swiftSettings?.append(.unsafeFlags(options))
    }
}

// An identity for the programs of this build (Documentation/ShippingATool.md), which is part of each of them.
if let identity = Context.environment["SWIFT_KEYCHAIN_IDENTITY"] {
    let labels = identity.split(separator: ".", omittingEmptySubsequences: false)
    let isValid =
        identity.utf8.count <= 255 && labels.count > 1
        && labels.allSatisfy { label in
            !label.isEmpty && label.first != "-"
                && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        }
    guard isValid else {
        fatalError("SWIFT_KEYCHAIN_IDENTITY must be a name such as com.example.tool, of at most 255 bytes: \(identity)")
    }
    for target in targets where target.name == "CKeychainSupport" {
        target.cSettings = (target.cSettings ?? []) + [.define("SWIFT_KEYCHAIN_IDENTITY", to: "\"\(identity)\"")]
    }
}

if staticTools != nil {
    let tools = ["security-tool", "keychainctl", "keychain-helper", "keychain-lint"]
    let names = tools + (isDaemonStatic ? ["keychaind"] : [])
    for target in targets where names.contains(target.name) {
        // Loaded at an address that differs each time, which the default linker cannot do; lld adds Unicode data.
        target.linkerSettings = [
            .unsafeFlags(["-static-executable", "-use-ld=bfd", "-Xclang-linker", "-static-pie"])
        ]
    }
}

let package = Package(
    name: "swift-keychain",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: products,
    traits: traits,
    dependencies: dependencies,
    targets: targets,
    swiftLanguageModes: [.v6]
)

for target in package.targets
where target.type != .system && target.type != .plugin
    && ![
        "CKeychainSupport", "CKeychainOpenSSL", "CStormSupport", "CommonCrypto", "CUnfairLock", "signed-program",
        "benchmark-peer", "slow-sync",
    ].contains(target.name)
{
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
        ]
}
