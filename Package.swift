// swift-tools-version: 6.2
import PackageDescription

// The table of all products and targets, one entry each, from the lowest module to the tests.
//
// The manifest is the same on every host, because a host may build for another platform. Apple platforms have Security,
// LocalAuthentication and CryptoKit themselves: there the products of these names pass on the system's modules. The
// targets of the same names are built for Linux only; elsewhere they would hide the system's.
let onLinux: TargetDependencyCondition? = .when(platforms: [.linux])

var products: [Product] = [
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
    // With the values that requests are made of, and where a keychain lies.
    .library(name: "KeychainEngine", targets: ["KeychainEngine", "KeychainCore", "HostFiles"]),
    // The daemon's client, and what it sends.
    .library(name: "KeychainClient", targets: ["KeychainClient", "KeychainWire"]),
    // A trace of a program's calls, begun by the program itself, and read.
    .library(name: "KeychainTrace", targets: ["KeychainTrace", "KeychainCore"]),
    .executable(name: "security", targets: ["security-tool"]),
    .executable(name: "keychainctl", targets: ["keychainctl"]),
    .executable(name: "keychaind", targets: ["keychaind"]),
    .executable(name: "conformance", targets: ["conformance-runner"]),
    .executable(name: "keychain-quickstart", targets: ["keychain-quickstart"]),
    // Misuse of the keychain found in source code; works with the trait Lint.
    .library(name: "KeychainLint", targets: ["KeychainLint", "KeychainLintParsing"]),
    .executable(name: "keychain-lint", targets: ["keychain-lint"]),
    .plugin(name: "KeychainLintCommand", targets: ["KeychainLintCommand"]),
    .plugin(name: "KeychainLintBuild", targets: ["KeychainLintBuild"]),
]

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

let targets: [Target] = [
    // C
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .target(name: "CKeychainSupport"),
    .target(name: "CStormSupport", path: "Tests/Support/CStormSupport"),

    // values
    .target(name: "KeychainCore", dependencies: ["CKeychainSupport"], swiftSettings: [externFunctions]),

    // values as bytes
    .target(name: "KeychainWire", dependencies: ["KeychainCore", "HostFiles", "CKeychainSupport", crypto]),

    // parts
    .target(name: "HostFiles", dependencies: ["CKeychainSupport"], swiftSettings: [externFunctions]),
    .target(name: "KeychainKeys", dependencies: ["KeychainCore", crypto, cryptoExtras]),
    .target(name: "KeychainASN1", dependencies: [asn1]),
    .target(name: "KeychainPropertyLists"),
    .target(name: "KeychainCertificates", dependencies: ["KeychainCore", "KeychainASN1", asn1, crypto]),
    .target(name: "KeychainContainers", dependencies: ["KeychainCore", "KeychainASN1", asn1, crypto, cryptoExtras]),
    .target(
        name: "KeychainImportExport",
        dependencies: ["KeychainCore", "KeychainKeys", "KeychainCertificates", "KeychainContainers", crypto]
    ),
    .target(
        name: "KeychainMessages",
        dependencies: ["KeychainCore", "KeychainKeys", "KeychainCertificates", "KeychainContainers", crypto]
    ),
    .target(
        name: "KeychainProtection",
        dependencies: ["KeychainCore", "HostFiles", "CKeychainSupport", crypto, cryptoExtras]
    ),
    .target(name: "KeychainStore", dependencies: ["KeychainCore", "HostFiles", "CKeychainSupport", "CSQLite"]),

    // whom certificates are trusted by; OpenSSL is loaded when it is needed
    .target(
        name: "KeychainTrust",
        dependencies: ["KeychainCore", "HostFiles", "KeychainCertificates", "KeychainPropertyLists", crypto],
        swiftSettings: appleAPI
    ),

    // engine
    .target(
        name: "KeychainEngine",
        dependencies: [
            "KeychainCore", "HostFiles", "KeychainASN1", "KeychainCertificates", "KeychainProtection", "KeychainStore",
            "CKeychainSupport", asn1,
        ]
    ),

    // a trace of calls
    .target(name: "CKeychainTrace", dependencies: ["CKeychainSupport"]),
    .target(
        name: "KeychainTrace",
        dependencies: ["KeychainCore", "HostFiles", "CKeychainSupport", "CKeychainTrace", crypto, logging],
        swiftSettings: appleAPI + [externFunctions]
    ),

    // user prompts
    .target(name: "KeychainAuthenticators", dependencies: ["KeychainCore", "HostFiles", "CKeychainSupport"]),

    // file-based keychains as macOS has them: names, the item functions on them, and the front end before both
    .target(
        name: "KeychainFrontEnd",
        dependencies: ["KeychainCore", "KeychainCertificates", "HostFiles"],
        swiftSettings: appleAPI
    ),

    // the user's own keychain, which the functions of Apple's API reach by the name of a function
    .target(
        name: "KeychainDefaultBackend",
        dependencies: [
            "KeychainCore", "KeychainEngine", "KeychainProtection", "KeychainClient", "KeychainWire",
            "KeychainFrontEnd", "KeychainAuthenticators", "KeychainTrust", "HostFiles", "CKeychainSupport",
        ]
    ),

    // Apple's API
    .target(
        name: "KeychainServices",
        dependencies: [
            "KeychainCore", "KeychainKeys", "KeychainCertificates", "KeychainContainers", "KeychainImportExport",
            "KeychainMessages", "KeychainFrontEnd", "KeychainDefaultBackend", "HostFiles", "KeychainTrace",
            "KeychainPropertyLists", "KeychainTrust", "CKeychainSupport", logging,
        ],
        swiftSettings: appleAPI + [externFunctions]
    ),
    .target(
        name: "PortableSecurity",
        dependencies: [.target(name: "KeychainServices", condition: onLinux)],
        path: "Sources/Reexports/PortableSecurity",
        swiftSettings: appleAPI
    ),
    .target(
        name: "Security",
        dependencies: ["PortableSecurity"],
        path: "Sources/Reexports/Security",
        swiftSettings: appleAPI
    ),
    .target(
        name: "LocalAuthenticationServices",
        dependencies: ["PortableSecurity", "KeychainServices", "KeychainCore"],
        swiftSettings: appleAPI
    ),
    .target(
        name: "PortableLocalAuthentication",
        dependencies: [.target(name: "LocalAuthenticationServices", condition: onLinux)],
        path: "Sources/Reexports/PortableLocalAuthentication",
        swiftSettings: appleAPI
    ),
    .target(
        name: "LocalAuthentication",
        dependencies: ["PortableLocalAuthentication", "Security"],
        path: "Sources/Reexports/LocalAuthentication",
        swiftSettings: appleAPI
    ),
    .target(
        name: "CryptoKit",
        dependencies: ["KeychainServices", "PortableLocalAuthentication", crypto],
        swiftSettings: appleAPI
    ),

    // thin modules: CommonCrypto declares in C what CommonCryptoFunctions has, so whoever links one links both
    .target(name: "CommonCrypto"),
    .target(name: "CommonCryptoFunctions", dependencies: ["CommonCrypto", crypto, cryptoExtras]),
    .target(name: "CUnfairLock"),
    .target(name: "OSServices", dependencies: ["CUnfairLock", logging], swiftSettings: appleAPI),
    .target(
        name: "PortableOS",
        dependencies: [.target(name: "OSServices", condition: onLinux)],
        path: "Sources/Reexports/PortableOS",
        swiftSettings: appleAPI
    ),

    // The products of Apple's names.
    .target(
        name: "SecurityProduct",
        dependencies: [.target(name: "Security", condition: onLinux)],
        path: "Sources/Reexports/SecurityProduct"
    ),
    .target(
        name: "LocalAuthenticationProduct",
        dependencies: [.target(name: "LocalAuthentication", condition: onLinux)],
        path: "Sources/Reexports/LocalAuthenticationProduct"
    ),
    .target(
        name: "CryptoKitProduct",
        dependencies: [.target(name: "CryptoKit", condition: onLinux)],
        path: "Sources/Reexports/CryptoKitProduct"
    ),
    .target(
        name: "CommonCryptoProduct",
        dependencies: [
            .target(name: "CommonCrypto", condition: onLinux),
            .target(name: "CommonCryptoFunctions", condition: onLinux),
        ],
        path: "Sources/Reexports/CommonCryptoProduct"
    ),

    // a typed API; on Apple platforms over the system's Security
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
    .target(
        name: "KeychainRecipes",
        dependencies: [
            "Keychain", "PortableSecurity", "PortableLocalAuthentication",
            .target(name: "CryptoKit", condition: onLinux),
        ],
        swiftSettings: appleAPI
    ),

    // a device in a test
    .target(
        name: "KeychainSimulation",
        dependencies: [
            "KeychainCore", "KeychainDoctor", "KeychainEngine", "KeychainFiles", "KeychainFrontEnd", "HostFiles",
            "KeychainAuthenticators", "KeychainProtection", "KeychainStore", "KeychainServices", "KeychainTrust",
        ],
        swiftSettings: appleAPI
    ),
    .target(
        name: "KeychainTesting",
        dependencies: [
            "KeychainSimulation", "KeychainCore", "KeychainServices", "KeychainTrace", "PortableSecurity",
            "PortableLocalAuthentication", "CKeychainSupport",
        ],
        swiftSettings: appleAPI
    ),
    .target(
        name: "KeychainTestingProduct",
        dependencies: [.target(name: "KeychainTesting", condition: onLinux)],
        path: "Sources/Reexports/KeychainTestingProduct"
    ),

    // what the host tells the daemon of sessions and sleep
    .target(name: "LoginManager", dependencies: ["CSystemd"]),

    // file-based keychains
    .target(
        name: "KeychainFiles",
        dependencies: [
            "KeychainCore", "KeychainEngine", "KeychainFrontEnd", "KeychainProtection", "HostFiles", crypto,
        ]
    ),

    // the daemon, and what reaches it
    .target(
        name: "KeychainServer",
        dependencies: ["KeychainWire", "KeychainCore", "HostFiles", "CKeychainSupport"]
    ),
    .target(
        name: "KeychainClient",
        dependencies: ["KeychainWire", "KeychainCore", "HostFiles", "CKeychainSupport"]
    ),
    .target(name: "KeychainIdentity", dependencies: ["KeychainCore", "HostFiles", "CKeychainSupport", crypto]),
    .target(name: "KeychainAudit", dependencies: ["KeychainCore", "HostFiles"]),
    .target(
        name: "KeychainDaemon",
        dependencies: [
            "KeychainServer", "KeychainIdentity", "KeychainAudit", "KeychainWire", "KeychainEngine", "KeychainFiles",
            "KeychainProtection", "KeychainStore", "KeychainCore", "KeychainTrust", "HostFiles", "LoginManager",
            "CKeychainSupport",
        ]
    ),

    // tools: what the executables of the same purpose do
    .target(
        name: "SecurityTool",
        dependencies: [
            "KeychainCore", "KeychainEngine", "KeychainFiles", "KeychainKeys", "KeychainCertificates",
            "KeychainContainers", "KeychainImportExport", "KeychainMessages", "KeychainTrust", "HostFiles",
            "KeychainAuthenticators", "CKeychainSupport", crypto,
        ]
    ),
    .target(
        name: "KeychainControl",
        dependencies: [
            "KeychainCore", "KeychainDoctor", "KeychainEngine", "KeychainDefaultBackend", "KeychainIdentity",
            "KeychainAudit", "KeychainTrace", "HostFiles", "KeychainAuthenticators", "KeychainProtection",
            "KeychainPropertyLists", "KeychainWire", "KeychainClient", "CKeychainSupport", arguments, crypto,
        ]
    ),

    // the linter: rules over a syntax tree of its own, and the parsers that make it
    .target(name: "KeychainLint", dependencies: ["KeychainCore"]),
    .target(
        name: "KeychainLintParsing",
        dependencies: [
            "KeychainLint",
            .product(name: "SwiftSyntax", package: "swift-syntax", condition: lint),
            .product(name: "SwiftParser", package: "swift-syntax", condition: lint),
            .product(name: "SwiftOperators", package: "swift-syntax", condition: lint),
            .product(name: "Yams", package: "Yams", condition: lint),
        ]
    ),

    // `swift package keychain-lint`, and a lint at every build
    .plugin(
        name: "KeychainLintCommand",
        capability: .command(
            intent: .custom(verb: "keychain-lint", description: "Finds misuse of the keychain in source code.")
        ),
        dependencies: ["keychain-lint"]
    ),
    .plugin(name: "KeychainLintBuild", capability: .buildTool(), dependencies: ["keychain-lint"]),

    // why a call failed
    .target(name: "KeychainDoctor", dependencies: ["KeychainCore"]),

    // executables
    .executableTarget(
        name: "keychain-lint",
        dependencies: ["KeychainLint", "KeychainLintParsing", "KeychainCore", arguments]
    ),
    .executableTarget(
        name: "security-tool",
        dependencies: [
            "SecurityTool", "KeychainCore", "KeychainDefaultBackend", "KeychainProtection", "KeychainAuthenticators",
        ]
    ),
    .executableTarget(name: "keychainctl", dependencies: ["KeychainControl", "KeychainProtection", arguments]),
    .executableTarget(name: "keychaind", dependencies: ["KeychainDaemon", "KeychainProtection"]),
    .executableTarget(name: "keychain-quickstart", dependencies: ["Security", "KeychainProtection"]),
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
    .executableTarget(name: "generate-constants", dependencies: ["SourceGeneration"]),
    .executableTarget(
        name: "keychain-storm",
        dependencies: [
            "KeychainEngine", "KeychainDefaultBackend", "KeychainCore", "KeychainWire", "HostFiles",
            "KeychainProtection", "KeychainStore", "CKeychainSupport", "CStormSupport", "CSQLite",
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
    .executableTarget(
        name: "keychain-traced",
        dependencies: ["CStormSupport", "KeychainCore", "KeychainEngine", "KeychainServices", "Security"],
        path: "Tests/Support/keychain-traced"
    ),

    // what the tests and the executables share
    .target(
        name: "KeychainTestSupport",
        dependencies: [
            "KeychainCore", "KeychainEngine", "KeychainDefaultBackend", "KeychainProtection", "HostFiles",
            "KeychainStore", "CSQLite", "CStormSupport",
        ],
        path: "Tests/Support/KeychainTestSupport"
    ),
    .target(
        name: "ServerTestSupport",
        dependencies: [
            "KeychainServer", "KeychainClient", "KeychainWire", "KeychainCore", "HostFiles", "KeychainTestSupport",
            "CKeychainSupport", "CStormSupport",
        ],
        path: "Tests/Support/ServerTestSupport"
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
            "SecurityTool", "KeychainCore", "KeychainEngine", "KeychainFiles", "KeychainTrust", "HostFiles",
            "KeychainTestSupport", "CStormSupport",
        ],
        path: "Tests/Support/SecurityTranscripts"
    ),
    .target(
        name: "DoctorScenarios",
        dependencies: [
            "Conformance", "KeychainDoctor", "KeychainAuthenticators", "KeychainCore", "KeychainFiles",
            "KeychainFrontEnd", "KeychainServices", "KeychainSimulation", "KeychainTestSupport",
        ],
        path: "Tests/Support/DoctorScenarios"
    ),
    .target(name: "SourceGeneration", dependencies: ["KeychainCore"]),

    // tests
    .testTarget(
        name: "KeychainCoreTests",
        dependencies: ["KeychainCore", "KeychainTestSupport", "SourceGeneration", "CSQLite"]
    ),
    .testTarget(
        name: "KeychainWireTests",
        dependencies: ["KeychainWire", "KeychainCore", "KeychainTestSupport"]
    ),
    .testTarget(
        name: "KeychainServerTests",
        dependencies: [
            "KeychainServer", "KeychainClient", "KeychainWire", "KeychainCore", "KeychainEngine", "HostFiles",
            "KeychainProtection", "KeychainAuthenticators", "KeychainTestSupport", "ServerTestSupport",
            "CKeychainSupport", "keychain-peer",
        ]
    ),
    .testTarget(
        name: "KeychainIdentityTests",
        dependencies: [
            "KeychainIdentity", "KeychainCore", "HostFiles", "KeychainTestSupport", "CStormSupport", "signed-program",
            crypto,
        ],
        exclude: ["Cases"]
    ),
    .testTarget(name: "LoginManagerTests", dependencies: ["LoginManager", "KeychainTestSupport"]),
    .testTarget(
        name: "KeychainDaemonTests",
        dependencies: [
            "KeychainDaemon", "KeychainAudit", "KeychainDefaultBackend", "KeychainServer", "KeychainClient",
            "KeychainIdentity", "KeychainEngine", "KeychainFiles", "KeychainProtection", "KeychainWire", "KeychainCore",
            "KeychainTrust", "HostFiles", "LoginManager", "KeychainTestSupport", "ServerTestSupport",
            "CKeychainSupport", "CStormSupport", "keychaind", "keychainctl", "security-tool", "keychain-items",
            "signed-program",
        ]
    ),
    .testTarget(
        name: "KeychainTraceTests",
        dependencies: [
            "KeychainTrace", "KeychainServices", "KeychainCore", "KeychainEngine", "HostFiles", "KeychainTestSupport",
            "CStormSupport", "Security", crypto,
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
        dependencies: ["KeychainTrust", "KeychainCertificates", "KeychainCore", "HostFiles", "KeychainTestSupport"],
        exclude: ["Cases"]
    ),
    .testTarget(
        name: "KeychainContainersTests",
        dependencies: ["KeychainContainers", "KeychainASN1", "KeychainCore", "KeychainTestSupport", asn1]
    ),
    .testTarget(
        name: "KeychainImportExportTests",
        dependencies: [
            "KeychainImportExport", "KeychainContainers", "KeychainCertificates", "KeychainKeys", "KeychainCore",
            "KeychainTestSupport",
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
        dependencies: [
            "KeychainProtection", "KeychainCore", "HostFiles", "KeychainTestSupport", crypto,
        ]
    ),
    .testTarget(
        name: "KeychainFrontEndTests",
        dependencies: ["KeychainFrontEnd", "KeychainCertificates", "KeychainCore"]
    ),
    .testTarget(
        name: "KeychainFilesTests",
        dependencies: [
            "KeychainFiles", "KeychainFrontEnd", "KeychainEngine", "KeychainProtection", "KeychainCore",
            "KeychainTestSupport",
        ],
        exclude: ["Released"]
    ),
    .testTarget(
        name: "KeychainStoreTests",
        dependencies: ["KeychainStore", "KeychainCore", "HostFiles", "KeychainTestSupport", "CSQLite"]
    ),
    .testTarget(
        name: "KeychainEngineTests",
        dependencies: [
            "KeychainEngine", "KeychainCore", "HostFiles", "KeychainProtection", "KeychainStore",
            "KeychainAuthenticators", "KeychainSimulation", "KeychainTestSupport", "CSQLite", crypto,
        ],
        exclude: [
            "Released/unreleased-1", "Released/unreleased-2", "Released/format-2", "Released/format-2-passcode",
            "Released/format-3", "Released/format-3-passcode",
            "Released/enclave-2", "Format/reader.py",
        ]
    ),
    .testTarget(
        name: "SecurityTests",
        dependencies: [
            "Security", "KeychainServices", "KeychainTrust", "KeychainCore", "KeychainEngine", "HostFiles",
            "KeychainAuthenticators", "KeychainFrontEnd", "KeychainMessages",
            "KeychainSimulation", "KeychainTestSupport", "keychain-quickstart", "keychain-stray",
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
            "KeychainFiles", "KeychainCore", "KeychainEngine", "HostFiles", "KeychainProtection",
            "KeychainTestSupport",
        ],
        exclude: ["Cases"]
    ),
    .testTarget(
        name: "KeychainControlTests",
        dependencies: [
            "KeychainControl", "keychainctl", "keychain-traced", "security-tool", "KeychainCore", "KeychainEngine",
            "HostFiles", "KeychainAuthenticators", "KeychainIdentity", "KeychainTrace", "KeychainWire",
            "KeychainTestSupport", "CStormSupport", "signed-program", arguments,
        ]
    ),
    .testTarget(
        name: "KeychainProcessTests",
        dependencies: [
            "keychain-storm", "keychaind", "keychainctl", "security-tool", "KeychainDefaultBackend", "KeychainEngine",
            "KeychainCore", "KeychainClient", "KeychainWire", "HostFiles", "KeychainProtection", "KeychainStore",
            "KeychainTestSupport", "ServerTestSupport", "CKeychainSupport", "CStormSupport", crypto,
        ]
    ),
    .testTarget(
        name: "KeychainTests",
        dependencies: [
            "Keychain", "KeychainTesting", "KeychainSimulation", "KeychainServices", "KeychainCore", "KeychainEngine",
            "HostFiles", "KeychainAuthenticators", "KeychainTestSupport", "Security", "LocalAuthentication", crypto,
        ]
    ),
    .testTarget(
        name: "KeychainRecipesTests",
        dependencies: [
            "KeychainRecipes", "Keychain", "KeychainTesting", "KeychainServices", "KeychainCore", "KeychainEngine",
            "HostFiles", "CryptoKit", "Security", "LocalAuthentication",
        ]
    ),
    .testTarget(
        name: "KeychainSimulationTests",
        dependencies: ["KeychainSimulation", "KeychainServices", "KeychainCore", "KeychainEngine", "Security"]
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
        dependencies: ["KeychainDoctor", "DoctorScenarios", "KeychainCore", crypto],
        exclude: ["Cases"]
    ),
    // the samples of the documentation
    .testTarget(
        name: "DocumentationTests",
        dependencies: [
            "Keychain", "KeychainControl", "KeychainRecipes", "KeychainTesting", "KeychainTrace", "PortableOS",
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
]

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
        target.cSettings = [.define("SWIFT_KEYCHAIN_INSTALLATION")]
    }
    // The testing kit is a library of its own, which a test target links by importing it, as it does XCTest.
    for target in targets where ["KeychainSimulation", "KeychainTesting"].contains(target.name) {
        let library = "Swift\(target.name)"
        let options = ["-enable-library-evolution", "-module-link-name", library]
        target.swiftSettings?.append(.unsafeFlags(options))
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
        "CKeychainSupport", "CKeychainTrace", "CStormSupport", "CommonCrypto", "CUnfairLock", "signed-program",
    ].contains(target.name)
{
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
        ]
}
