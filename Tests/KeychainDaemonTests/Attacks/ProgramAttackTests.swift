// SPDX-License-Identifier: Apache-2.0

import KeychainTestSupport
import ServerTestSupport
import Testing

/// Attempts to be taken for a signed program by each of the daemons of this build: what a program that speaks the
/// protocol gets of that program's item.
@Suite(.timeLimit(.minutes(10)))
struct ProgramAttackTests {
    /// Whose daemon it is.
    enum Mode: Sendable, CaseIterable {
        case user
        case system

        var isPossible: Bool { self == .user || SystemServiceFolder.mayLookAtPrograms }
    }

    @Test("nobody but the signed program itself gets its item", arguments: Mode.allCases.filter(\.isPossible))
    func attacks(_ mode: Mode) throws { try expectAnswers(to: ProgramAttack.all, mode) }

    @Test(
        "nor does it from where it sees another system than the daemon",
        .enabled(if: Namespaces.arePossible, "neither root nor others may make namespaces here"),
        arguments: Mode.allCases.filter(\.isPossible)
    )
    func views(_ mode: Mode) throws { try expectAnswers(to: ProgramAttack.views, mode) }

    @Test(
        "nor does a process that has got the number of the signed program's",
        .enabled(if: SystemServiceFolder.mayChooseNumbers, "choosing the number of a process takes CAP_SYS_ADMIN"),
        arguments: Mode.allCases.filter(\.isPossible)
    )
    func reusedNumber(_ mode: Mode) throws { try expectAnswers(to: ProgramAttack.numbers, mode) }

    @Test(
        "nor does a program that appears as it, or that has loaded code that does what it is told",
        .enabled(if: Namespaces.arePossible, "neither root nor others may make namespaces here"),
        .enabled(if: AttackScene.mayMakeSystemLibraries, "only root makes files that only root can change"),
        arguments: Mode.allCases.filter(\.isPossible)
    )
    func impostors(_ mode: Mode) throws { try expectAnswers(to: ProgramAttack.impostors, mode) }

    @Test("nor does a library that hides, if the daemon sees with which variables the program was started")
    func variable() throws { try expectAnswers(to: ProgramAttack.variable, .user) }

    @Test(
        "not defended: the same against the system service, which does not see the variables of other users' programs",
        .enabled(if: Mode.system.isPossible, "looking at programs of other users takes CAP_SYS_PTRACE")
    )
    func unseenVariable() throws {
        let attack = try #require(ProgramAttack.variable.first)
        #expect(try AttackScene(.system).answer(to: attack) == .secret)
    }

    @Test(
        "nor does the signed program itself with a capability by which it could appear as another one",
        .enabled(if: SystemServiceFolder.mayChooseNumbers, "giving a program a capability takes that capability")
    )
    func privileges() throws { try expectAnswers(to: ProgramAttack.privileges, .system) }

    @Test(
        "`keychainctl verify` says which check fails",
        .enabled(if: Namespaces.arePossible, "neither root nor others may make namespaces here"),
        .enabled(if: AttackScene.mayMakeSystemLibraries, "only root makes files that only root can change")
    )
    func verify() throws {
        let scene = try AttackScene(.user)
        let checks = [
            nil, ("namespaces", "its own user namespace"), ("loaded code", "does not run the code of its executable"),
            ("namespaces", "its own user namespace"), ("loaded code", "/usr/bin/env, which is another program"),
            ("loaded code", "libpython3.99.so.1.0, which is an interpreter"),
            ("environment", "was started with LD_PRELOAD"), ("libraries", "look for libraries in $ORIGIN"),
            ("seccomp", "system calls are filtered"),
        ]
        let attacks = ProgramAttack.impostors + ProgramAttack.variable.prefix(1) + ProgramAttack.surroundings
        #expect(attacks.count == checks.count)
        for (attack, check) in zip(attacks, checks) {
            let outcome = try scene.verification(of: attack)
            #expect(outcome.status == (check == nil ? 0 : 1), "\(attack.name): \(outcome)")
            let failed = outcome.output.split(separator: "\n").filter { $0.hasPrefix("  failed") }
            guard let (name, words) = check else {
                #expect(failed.isEmpty, "\(failed)")
                continue
            }
            #expect(failed.contains { $0.contains("  \(name) ") && $0.contains(words) }, "\(attack.name): \(outcome)")
        }
    }

    /// Carries out attacks, one after the other, against one daemon.
    private func expectAnswers(to attacks: [ProgramAttack], _ mode: Mode) throws {
        let scene = try AttackScene(mode)
        for attack in attacks {
            let answer = try scene.answer(to: attack)
            #expect(answer == attack.expected, "\(attack.name)")
        }
    }
}
