// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredentialHelpers
import FoundationEssentials
import Glibc
import KeychainCore
import KeychainHost

/// A kind of file that has secrets in plain text.
enum AdoptedKind: String, CaseIterable {
    case netrc
    case git
    case docker
    case aws
    case npm
    case pypi
    case cargo
    case gh
    case glab
    case kube
    case env
    case maven
    case ssh
    case gitconfig
    case awsconfig
    case pip
    case uv

    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// The program that gets a helper in a file of its own.
    var configured: HelpedProgram? {
        switch self {
        case .git: .git
        case .cargo: .cargo
        case .aws: .aws
        case .netrc, .docker, .npm, .pypi, .gh, .glab, .kube, .env, .maven, .ssh, .gitconfig, .awsconfig, .pip, .uv: nil
        }
    }

    /// Whether its program takes nothing from the file once it has its helper, so that a part alone is not moved.
    var movesWhole: Bool { self == .git || self == .docker }

    /// The kind that a name of a file is of.
    init?(path: String) {
        let names = path.pathNames
        guard let name = names.last else { return nil }
        let folder = names.dropLast().last ?? ""
        switch (folder, name) {
        case (_, ".netrc"), (_, "_netrc"): self = .netrc
        case (_, ".git-credentials"), ("git", "credentials"): self = .git
        case (_, "config.json"): self = .docker
        case (".aws", "credentials"): self = .aws
        case (_, ".npmrc"): self = .npm
        case (_, ".pypirc"): self = .pypi
        case (_, "credentials.toml"), (".cargo", "credentials"): self = .cargo
        case (_, "hosts.yml"): self = .gh
        case ("glab-cli", "config.yml"): self = .glab
        case (".kube", _), (_, "kubeconfig"): self = .kube
        case (_, "settings.xml"): self = .maven
        case (".ssh", _): self = .ssh
        case (_, ".gitconfig"), ("git", "config"): self = .gitconfig
        case (".aws", "config"): self = .awsconfig
        case (_, "pip.conf"): self = .pip
        case (_, "uv.toml"): self = .uv
        case _ where name == ".env" || name.hasPrefix(".env.") || name.hasSuffix(".env"): self = .env
        default: return nil
        }
    }

    /// The files in which its programs look for it, be there any or not.
    func paths(_ surroundings: Surroundings) throws(Refusal) -> [String] {
        let value = { (name: String) in surroundings.environment(name).flatMap { $0.isAbsolutePath ? $0 : nil } }
        let home = try surroundings.homeOfPrograms()
        let configuration = value("XDG_CONFIG_HOME") ?? "\(home)/.config"
        switch self {
        case .netrc: return [value("NETRC") ?? "\(home)/.netrc"]
        case .git:
            let named = Self.gitFile(try HelpedProgram.git.path(surroundings), home: home)
            return ["\(home)/.git-credentials", "\(configuration)/git/credentials"] + named
        case .docker: return [try HelpedProgram.docker.path(surroundings)]
        case .aws: return [value("AWS_SHARED_CREDENTIALS_FILE") ?? "\(home)/.aws/credentials"]
        case .npm: return [value("NPM_CONFIG_USERCONFIG") ?? "\(home)/.npmrc"]
        case .pypi: return ["\(home)/.pypirc"]
        case .cargo:
            let folder = value("CARGO_HOME") ?? "\(home)/.cargo"
            // cargo takes the older name if there are both.
            return ["\(folder)/credentials", "\(folder)/credentials.toml"]
        case .gh: return [(value("GH_CONFIG_DIR") ?? "\(configuration)/gh") + "/hosts.yml"]
        case .glab: return [(value("GLAB_CONFIG_DIR") ?? "\(configuration)/glab-cli") + "/config.yml"]
        case .kube: return [try HelpedProgram.kubectl.path(surroundings)]
        case .env: return surroundings.workingFolder().map { ["\($0)/.env"] } ?? []
        case .maven: return ["\(home)/.m2/settings.xml"]
        case .ssh:
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(home)/.ssh")) ?? []
            let others = ["config", "known_hosts", "authorized_keys", "environment", "rc"]
            return names.sorted().filter { name in !name.hasSuffix(".pub") && !others.contains { name.hasPrefix($0) } }
                .map { "\(home)/.ssh/\($0)" }
        case .gitconfig:
            return [value("GIT_CONFIG_GLOBAL") ?? "\(home)/.gitconfig", "\(configuration)/git/config"]
        case .awsconfig: return [try HelpedProgram.aws.path(surroundings)]
        case .pip:
            return [value("PIP_CONFIG_FILE") ?? "\(configuration)/pip/pip.conf", "\(home)/.pip/pip.conf"]
        case .uv: return [value("UV_CONFIG_FILE") ?? "\(configuration)/uv/uv.toml"]
        }
    }

    /// The file that git's configuration names for its helper `store`.
    private static func gitFile(_ configuration: String, home: String) -> [String] {
        guard let bytes = try? AtomicFile.read(configuration, limit: 1 << 20)?.bytes else { return [] }
        let pattern = /(?m)^\s*helper\s*=\s*"?store\b[^\n]*--file[= ]\s*([^\s"]+)/
        return String(decoding: bytes, as: UTF8.self).matches(of: pattern).compactMap { match in
            let path = String(match.output.1)
            return path.hasPrefix("~/") ? "\(home)/\(path.dropFirst(2))" : path.isAbsolutePath ? path : nil
        }
    }

    /// The secrets of a file.
    ///
    /// - Throws: ``Refusal`` for a file that is not understood, without its path.
    func secrets(in bytes: [UInt8], of path: String, _ surroundings: Surroundings) throws(Refusal) -> PlainSecrets {
        do {
            switch self {
            case .netrc: return PlainSecrets(netrc: bytes)
            case .git: return PlainSecrets(gitCredentials: bytes)
            case .docker: return try PlainSecrets(docker: bytes)
            case .aws: return PlainSecrets(aws: bytes)
            case .npm: return PlainSecrets(npm: bytes)
            case .pypi: return PlainSecrets(pypi: bytes)
            case .cargo:
                let configuration = try AtomicFile.read(try HelpedProgram.cargo.path(surroundings), limit: 1 << 20)
                return try PlainSecrets(cargo: bytes, configuration: configuration?.bytes ?? [])
            case .gh: return PlainSecrets(hosts: bytes, isGitLab: false)
            case .glab: return PlainSecrets(hosts: bytes, isGitLab: true)
            case .kube:
                // Without the helper, it is only said what there is.
                let plan = HelperPlan(program: .kubectl, profile: nil, surroundings: surroundings)
                return PlainSecrets(kube: bytes, helper: try plan.helper())
            case .env: return PlainSecrets(variables: bytes, path: path) { $0.reference }
            case .maven: return PlainSecrets(maven: bytes)
            case .ssh: return PlainSecrets(privateKey: bytes)
            case .gitconfig: return PlainSecrets(gitConfiguration: bytes)
            case .awsconfig: return PlainSecrets(awsConfiguration: bytes)
            case .pip, .uv: return PlainSecrets(indexes: bytes)
            }
        } catch let error as Refusal {
            throw error
        } catch {
            throw Refusal("\(error)")
        }
    }

    /// The command by which a program gets what was taken out of its file; `nil` where a helper does that.
    func command(for secret: PlainSecret, in path: String) -> String? {
        if let variable = secret.variable {
            let program =
                switch self {
                case .npm: "npm publish"
                case .pypi: "twine upload dist/*"
                case .gh: "gh repo list"
                case .glab: "glab repo list"
                case .maven: "mvn deploy"
                default: "COMMAND"
                }
            return "keychainctl exec --env \("\(variable)=\(secret.place.reference)".shellQuoted) -- \(program)"
        }
        switch (self, secret.place) {
        case (.netrc, .server(let address, _)):
            return
                "curl --netrc-file <(keychainctl netrc \(address.host.shellQuoted)) https://\(address.host.printable)/"
        case (.env, _): return "keychainctl exec --env-file \(path.shellQuoted) -- COMMAND"
        default: return nil
        }
    }
}

extension CredentialPlace {
    /// The reference to a generic password.
    var reference: String {
        guard case .generic(let service, let account) = self else { return name }
        return SecretReference(ItemChoice(service: service, account: account)).text
    }
}

extension Surroundings {
    /// The folder that relative paths begin in.
    func workingFolder() -> String? {
        guard let path = getcwd(nil, 0) else { return nil }
        defer { free(path) }
        return String(validatingCString: path)
    }

    /// A path as it is kept: absolute, and its folder without links, so that one file has one name.
    func keptPath(_ path: String) -> String {
        let absolute = path.isAbsolutePath ? path : "\(workingFolder() ?? "")/\(path)"
        guard let name = absolute.pathNames.last, let folder = realpath(absolute.parentFolder, nil) else {
            return absolute
        }
        defer { free(folder) }
        let text = String(cString: folder)
        return text == "/" ? "/\(name)" : "\(text)/\(name)"
    }
}
