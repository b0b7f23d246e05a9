// SPDX-License-Identifier: Apache-2.0

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

    /// Carries out attacks, one after the other, against one daemon.
    private func expectAnswers(to attacks: [ProgramAttack], _ mode: Mode) throws {
        let scene = try AttackScene(mode)
        for attack in attacks {
            let answer = try scene.answer(to: attack)
            #expect(answer == attack.expected, "\(attack.name)")
        }
    }
}
