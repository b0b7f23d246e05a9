// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainHost

/// Determines changes.
struct HelperPlan {
    let program: HelpedProgram
    let profile: String?
    let surroundings: Surroundings

    /// The path of the helper.
    ///
    /// - Throws: ``Refusal`` if it is not there, or its path means something else in a configuration file.
    func helper() throws(Refusal) -> String {
        guard let folder = surroundings.helperFolder() else { throw Refusal("the folder of the programs is unknown") }
        let path = "\(folder)/\(program.helper.rawValue)"
        guard access(path, X_OK) == 0 else {
            throw Refusal("there is no \(path); the packages and 'Scripts/install' install it")
        }
        guard Self.isPlain(path, "/._+-") else {
            throw Refusal("\(path) has characters that a shell or a configuration file would change")
        }
        return path
    }

    private func checkProfile() throws(Refusal) {
        guard program.needsProfile else {
            guard profile == nil else { throw Refusal("\(program.rawValue) has no profiles") }
            return
        }
        guard let profile else {
            throw Refusal("--profile is needed: the name of \(program == .aws ? "a profile" : "a user")")
        }
        guard Self.isPlain(profile, "-_"), !profile.hasPrefix("-") else {
            throw Refusal("the name of a profile has letters, digits, - and _ only")
        }
    }

    /// Whether a text has letters and digits of ASCII, and a few other characters, only.
    private static func isPlain(_ text: String, _ others: String) -> Bool {
        let isOther = others.utf8.contains
        return !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || isOther(byte)
            }
    }

    private func file() throws(Refusal) -> ConfigurationFile {
        try ConfigurationFile(
            try program.path(surroundings),
            home: try surroundings.homeOfPrograms(),
            takesLockFile: program.takesLockFile
        )
    }

    // MARK: - Plans

    /// Whether the program runs the helper, in words, and what it takes beside it or in its place.
    var status: String {
        do throws(Refusal) {
            let file = try file()
            guard try isInstalled(file) else { return "does not use the keychain" }
            let others = try diversions(file)
            return others.isEmpty
                ? "uses the keychain"
                : "uses the keychain, but this is set as well: \(PlainText.shown(others.joined(separator: ", ")))"
        } catch {
            return "unknown: \(error)"
        }
    }

    /// Whether the program runs the helper.
    private func isInstalled(_ file: ConfigurationFile) throws(Refusal) -> Bool {
        switch program {
        case .docker:
            return try docker(file).credentialsStore == DockerConfiguration.helper
        case .kubectl: return try file.text().contains("/\(HelperName.kubectl.rawValue)")
        case .aws: return try sections(file).contains("/\(HelperName.aws.rawValue) ")
        case .ssh: return try file.text().contains("/\(HelperName.askpass.rawValue)\n")
        case .git, .cargo, .pip:
            let text = try sections(file)
            guard let block = program.block(try helper(), profile: nil) else { return false }
            return block.isIn(text)
        }
    }

    /// What the program takes beside the helper or in its place, without values.
    private func diversions(_ file: ConfigurationFile) throws(Refusal) -> [String] {
        var others: [String] = []
        if program == .docker { others = try docker(file).othersRegistries.map { "credHelpers \($0)" } }
        if let block = program.block("", profile: nil) {
            others = block.otherSettings(in: try file.text()).filter(program.isDiverted)
                .map { "[\($0.section)] \($0.key)" }
        }
        if let variable = program.divertingVariable, surroundings.environment(variable) != nil {
            others.append(variable)
        }
        return others
    }

    /// The text of a file in sections.
    ///
    /// - Throws: ``Refusal`` for one that is not understood.
    private func sections(_ file: ConfigurationFile) throws(Refusal) -> String {
        let text = try file.text()
        if let form = program.block("", profile: profile)?.form {
            try naming(file) { () throws(HelperFailure) in try form.check(text) }
        }
        return text
    }

    /// The change that makes the program run the helper.
    func installation() throws(Refusal) -> HelperChange {
        try checkProfile()
        let (helper, file) = (try helper(), try file())
        if let block = program.block(helper, profile: profile) {
            let text = try file.text()
            let new = try naming(file) { () throws(HelperFailure) in try Self.with(block, text) }
            var change = HelperChange(program: program, file: file, new: Array(new.utf8))
            if program == .pip { change.link = try linkToMake(helper) }
            return change
        }
        switch program {
        case .docker:
            var configuration = try docker(file)
            let before = configuration.credentialsStore
            let new = try naming(file) { () throws(HelperFailure) in try Self.withDockerHelper(file.bytes) }
            configuration.credentialsStore = DockerConfiguration.helper
            var change = HelperChange(program: program, file: file, new: new)
            change.shown = Self.shown(before, configuration.credentialsStore)
            let count = configuration.plainCredentialCount
            if count > 0 {
                change.remarks.append(
                    "\(Count.text(count, "credential")) in \(file.path) can be read there as before; "
                        + "'docker logout' and 'docker login' move each"
                )
            }
            if !isInPath(HelperName.docker.rawValue) {
                change.remarks.append("Docker finds the helper only if its folder is in PATH.")
            }
            return change
        case .kubectl:
            let words = Self.kubectlWords(helper, user: profile ?? "")
            var change = HelperChange(program: program, file: file, new: try kubectl(file.bytes, words, beside: file))
            change.shown = ["kubectl config \(words.joined(separator: " "))"]
            return change
        default:
            return HelperChange(program: program, file: file, new: Array(HelpedProgram.environmentFile(helper).utf8))
        }
    }

    /// The change that brings the program back to what it did before.
    func removal() throws(Refusal) -> HelperChange {
        var change = try removal(from: try file())
        change.isRemoval = true
        return change
    }

    private func removal(from file: ConfigurationFile) throws(Refusal) -> HelperChange {
        try checkProfile()
        if let block = program.block("", profile: profile) {
            let text = try file.text()
            let new: String
            if let copy = original(of: file) {
                new = String(decoding: copy.bytes, as: UTF8.self)
            } else {
                new = try naming(file) { () throws(HelperFailure) in try block.removed(from: text) }
            }
            if new != text { _ = try sections(file) }
            var change = HelperChange(program: program, file: file, new: Array(new.utf8))
            if program == .pip { change.link = try linkToRemove() }
            if new == text, let line = block.line(leftIn: new) {
                let shown = PlainText.shown(String(line.drop(while: \.isWhitespace)))
                change.remarks.append(
                    "\(file.path) still has '\(shown)', without the comments of this command; take it out by hand"
                )
            }
            return change
        }
        switch program {
        case .docker:
            var configuration = try docker(file)
            guard configuration.credentialsStore == DockerConfiguration.helper else {
                return HelperChange(program: program, file: file, new: file.bytes)
            }
            let copy = original(of: file)
            let before = (copy ?? file.copies.first).flatMap { try? DockerConfiguration($0.bytes) }?.credentialsStore
            configuration.credentialsStore = before == DockerConfiguration.helper ? nil : before
            var change = HelperChange(program: program, file: file, new: copy?.bytes ?? configuration.bytes)
            change.shown = Self.shown(DockerConfiguration.helper, configuration.credentialsStore)
            return change
        case .kubectl:
            if let copy = original(of: file) {
                var change = HelperChange(program: program, file: file, new: copy.bytes)
                change.shown = ["the contents of \(copy.path)"]
                return change
            }
            let words = ["unset", "users.\(profile ?? "").exec"]
            var change = HelperChange(program: program, file: file, new: try kubectl(file.bytes, words, beside: file))
            change.shown = ["kubectl config \(words.joined(separator: " "))"]
            if !change.isNothing, let copy = file.copies.first {
                change.remarks.append("\(file.path) was changed since; what it was before is in \(copy.path)")
            }
            return change
        default:
            let isOurs = try file.text().hasPrefix("# Made by 'keychainctl helper install ssh'.\n")
            guard isOurs || file.bytes.isEmpty else { throw Refusal("\(file.path) was made by somebody else") }
            return HelperChange(program: program, file: file, new: nil)
        }
    }

    // MARK: - Parts

    /// The member of Docker's file that changes.
    private static func shown(_ old: String?, _ new: String?) -> [String] {
        [("-", old), ("+", new)].compactMap { sign, value in
            value.map { "\(sign) \"credsStore\": \(JSONValue.string($0).text)" }
        }
    }

    private func docker(_ file: ConfigurationFile) throws(Refusal) -> DockerConfiguration {
        try naming(file) { () throws(HelperFailure) in try DockerConfiguration(file.bytes) }
    }

    private func naming<Result>(
        _ file: ConfigurationFile,
        _ body: () throws(HelperFailure) -> Result
    ) throws(Refusal) -> Result {
        do { return try body() } catch { throw Refusal("\(file.path): \(error)") }
    }

    private static func kubectlWords(_ helper: String, user: String) -> [String] {
        [
            "set-credentials", user, "--exec-command=\(helper)",
            "--exec-api-version=client.authentication.k8s.io/v1", "--exec-arg=\(user)",
            "--exec-interactive-mode=Never",
        ]
    }

    /// The copy of what the file was before the helper was installed; `nil` if anything else has changed since.
    ///
    /// Only a copy brings every file back as it was: kubectl writes its file without the comments that were in it, and
    /// an empty file of docker is none that docker reads.
    private func original(of file: ConfigurationFile) -> ConfigurationFile.Copy? {
        guard let helper = try? helper() else { return nil }
        return file.copies.first { copy in
            copy.bytes != file.bytes && (try? installed(helper, in: copy.bytes, beside: file)) == file.bytes
        }
    }

    /// What the installation makes of a file.
    private func installed(
        _ helper: String,
        in bytes: [UInt8],
        beside file: ConfigurationFile
    ) throws -> [UInt8]? {
        if let block = program.block(helper, profile: profile) {
            return try String(validating: bytes, as: UTF8.self).map { Array(try Self.with(block, $0).utf8) }
        }
        switch program {
        case .docker: return try Self.withDockerHelper(bytes)
        case .kubectl: return try kubectl(bytes, Self.kubectlWords(helper, user: profile ?? ""), beside: file)
        default: return nil
        }
    }

    private static func with(_ block: ConfigurationBlock, _ text: String) throws(HelperFailure) -> String {
        block.isIn(text) ? text : try block.added(to: text)
    }

    private static func withDockerHelper(_ bytes: [UInt8]) throws(HelperFailure) -> [UInt8] {
        var configuration = try DockerConfiguration(bytes)
        guard configuration.credentialsStore != DockerConfiguration.helper else { return bytes }
        configuration.credentialsStore = DockerConfiguration.helper
        return configuration.bytes
    }

    /// What kubectl makes of a configuration: it changes a copy, because its files are YAML.
    private func kubectl(
        _ bytes: [UInt8],
        _ words: [String],
        beside file: ConfigurationFile
    ) throws(Refusal) -> [UInt8] {
        guard !bytes.isEmpty else { throw Refusal("there is no \(file.path)") }
        let folder = try Self.refusing { () throws(FileError) in try SecretFolder(beside: file.path) }
        return try withExtendedLifetime(folder) { () throws(Refusal) in
            let copy = "\(folder.path)/config"
            try Self.refusing { () throws(FileError) in _ = try AtomicFile.create(copy, bytes) }
            _ = try surroundings.output(["env", "KUBECONFIG=\(copy)", "kubectl", "config"] + words)
            let new = try Self.refusing { () throws(FileError) in try AtomicFile.read(copy, limit: 1 << 20) }
            guard let new else { throw Refusal("kubectl wrote no configuration") }
            return new.bytes
        }
    }

    private static func refusing<Result>(_ body: () throws(FileError) -> Result) throws(Refusal) -> Result {
        do { return try body() } catch { throw Refusal(error.description) }
    }

    /// The folder of this program, in which the helpers are installed as well.
    @Sendable
    static func folderOfThisProgram() -> String? {
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        return String(validatingCString: path)?.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/")
    }

    private func isInPath(_ name: String) -> Bool {
        ProgramPath.has(name, in: surroundings.environment("PATH"))
    }

    // MARK: - The name under which pip runs a keyring

    private func linkPath() throws(Refusal) -> String {
        let home = try surroundings.homeOfPrograms()
        let path = "\(home)/.local/bin/\(HelperName.keyringCommand)"
        try ConfigurationFile.checkFolders(above: path, home: home)
        return path
    }

    private func target(of path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink(path, &buffer, buffer.count - 1)
        return count < 0 ? nil : String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private func linkToMake(_ helper: String) throws(Refusal) -> (path: String, target: String, isMade: Bool)? {
        let path = try linkPath()
        if target(of: path) == helper { return nil }
        var status = stat()
        guard lstat(path, &status) != 0 else {
            throw Refusal("there is another \(path); remove it, or install the back end for Python into its keyring")
        }
        return (path, helper, true)
    }

    private func linkToRemove() throws(Refusal) -> (path: String, target: String, isMade: Bool)? {
        let path = try linkPath()
        guard let target = target(of: path), target.hasSuffix("/\(HelperName.keyring.rawValue)") else { return nil }
        return (path, target, false)
    }
}
