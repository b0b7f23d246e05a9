// SPDX-License-Identifier: Apache-2.0

import DoctorScenarios
import Testing

struct RandomScenarioTests {
    @Test("the doctor names a seeded mistake first")
    func mistakeIsNamed() {
        let tally = RandomScenario.Tally(seeds: 0..<290)
        #expect(tally.percentage >= 95, "\((tally.misses + tally.table).joined(separator: "\n"))")
        #expect(tally.counts.count == Mistake.allCases.count)
    }
}
