// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredentialHelpers
import Glibc
import KeychainCore
import KeychainHost

/// A program that can be made to keep its credentials in the keychain.
enum HelpedProgram: String, CaseIterable, ExpressibleByArgument {
    case git
    case docker
    case cargo
    case aws
    case kubectl
    case pip
    case ssh

    /// The helper that it runs.
    var helper: HelperName {
        switch self {
        case .git: .git
        case .docker: .docker
        case .cargo: .cargo
        case .aws: .aws
        case .kubectl: .kubectl
        case .pip: .keyring
        case .ssh: .askpass
        }
    }

    /// Whether one of its profiles or users has to be named.
    var needsProfile: Bool { self == .aws || self == .kubectl }

    /// The file that says which helper it runs.
    ///
    /// - Throws: ``Refusal`` if there is no home folder.
    func path(_ surroundings: Surroundings) throws(Refusal) -> String {
        let value = { (name: String) in surroundings.environment(name).flatMap { $0.isAbsolutePath ? $0 : nil } }
        let home = try surroundings.homeOfPrograms()
        let configuration = value("XDG_CONFIG_HOME") ?? "\(home)/.config"
        switch self {
        case .git:
            if let named = value("GIT_CONFIG_GLOBAL") { return named }
            let other = "\(configuration)/git/config"
            return access("\(home)/.gitconfig", F_OK) != 0 && access(other, F_OK) == 0 ? other : "\(home)/.gitconfig"
        case .docker: return (value("DOCKER_CONFIG") ?? "\(home)/.docker") + "/config.json"
        case .cargo: return (value("CARGO_HOME") ?? "\(home)/.cargo") + "/config.toml"
        case .aws: return value("AWS_CONFIG_FILE") ?? "\(home)/.aws/config"
        case .kubectl: return value("KUBECONFIG") ?? "\(home)/.kube/config"
        case .pip: return value("PIP_CONFIG_FILE") ?? "\(configuration)/pip/pip.conf"
        case .ssh: return "\(configuration)/environment.d/60-swift-keychain.conf"
        }
    }

    /// The lines of its configuration; `nil` for one that is not made of sections.
    ///
    /// - Parameters:
    ///   - program: the path of the helper.
    ///   - profile: the profile, for a program that needs one.
    /// - Returns: The lines.
    func block(_ program: String, profile: String?) -> ConfigurationBlock? {
        switch self {
        case .git:
            // An empty helper clears the list: no other one gets what this one stores.
            ConfigurationBlock(
                section: "credential",
                key: "helper",
                lines: ["\thelper =", "\thelper = \(program)"],
                helper: helper.rawValue,
                form: .git
            )
        case .cargo:
            ConfigurationBlock(
                section: "registry",
                key: "global-credential-providers",
                lines: [#"global-credential-providers = ["cargo:token", "\#(program)"]"#],
                helper: helper.rawValue,
                form: .toml
            )
        case .aws:
            ConfigurationBlock(
                section: profile.map { $0 == "default" ? $0 : "profile \($0)" } ?? "",
                key: "credential_process",
                lines: ["credential_process = \(program) \(profile ?? "")"],
                helper: helper.rawValue,
                form: .ini,
                hasSiblings: true
            )
        case .pip:
            ConfigurationBlock(
                section: "global",
                key: "keyring-provider",
                lines: ["keyring-provider = subprocess"],
                form: .ini
            )
        case .docker, .kubectl, .ssh: nil
        }
    }

    /// Whether it takes a lock of the name of its file with `.lock`, which has to be new, while it changes the file.
    var takesLockFile: Bool { self == .git || self == .kubectl }

    /// Whether the program takes a setting beside the added lines, or in their place.
    func isDiverted(by setting: ConfigurationBlock.Setting) -> Bool {
        switch self {
        case .git:
            setting.isLater && setting.section.split(separator: " ").first?.lowercased() == "credential"
                && setting.key.lowercased() == "helper"
        case .cargo:
            setting.key == "credential-provider"
                && (setting.section == "registry" || setting.section.hasPrefix("registries."))
        case .pip: setting.key.lowercased().split { "-_".contains($0) } == ["keyring", "provider"]
        case .docker, .aws, .kubectl, .ssh: false
        }
    }

    /// The variable that the program takes in place of its file.
    var divertingVariable: String? {
        switch self {
        case .cargo: "CARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS"
        case .pip: "PIP_KEYRING_PROVIDER"
        case .git, .docker, .aws, .kubectl, .ssh: nil
        }
    }

    /// The file of systemd by which a session gets its variables (environment.d(5)).
    static func environmentFile(_ program: String) -> String {
        """
        # Made by 'keychainctl helper install ssh'.
        SSH_ASKPASS=\(program)
        SSH_ASKPASS_REQUIRE=prefer
        SUDO_ASKPASS=\(program)

        """
    }

    /// What is left to do, or to know, after the file was changed.
    var advice: String? {
        switch self {
        case .git, .docker, .cargo: nil
        case .aws:
            "Store the keys: keychainctl set aws-vault/PROFILE --file FILE, a file of JSON as "
                + "'aws iam create-access-key' prints it. Take them out of the file 'credentials', which comes first."
        case .kubectl:
            "Store the token: keychainctl set kubectl/USER --file FILE"
        case .pip: "The name of the user has to be in the URL of an index: https://USER@HOST/simple"
        case .ssh:
            "The variables are set at the next login. Store a passphrase: "
                + "security add-generic-password -s OpenSSH -a /path/of/the/key -w"
        }
    }
}

extension Surroundings {
    /// The folder in which programs look for their configuration.
    func homeOfPrograms() throws(Refusal) -> String {
        guard let home = environment("HOME"), home.isAbsolutePath else { throw Refusal("HOME names no folder") }
        return home
    }
}
