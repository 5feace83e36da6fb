/** A run of the fleet: payments over all drivers in random order, and then the clock, until all of them have ended. */
import { seededRandom } from '../../random.ts'
import { passRealTime } from '../../real-time.ts'
import { type Fleet, pick, startFleet } from './fleet.ts'
import { type Outcome, readOutcome } from './outcome.ts'
import { sail } from './voyage.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** A person has to decide about what is unknown after seven days. */
const DAYS = 9
const AT_ONCE = 6
const OPEN_MINUTES = 100

/** `minutesAtOnce`: in steps of this length the clock passes the time in which buyers may still pay. */
export async function runFleet({
  payments,
  seed,
  minutesAtOnce = 5,
}: {
  payments: number
  seed: number
  minutesAtOnce?: number
}): Promise<Outcome[]> {
  const fleet = await startFleet()
  try {
    await sailAll(fleet, payments, seed)
    for (let passed = 0; passed < OPEN_MINUTES; passed += minutesAtOnce)
      await goOn(fleet, minutesAtOnce * MINUTE_MS)
    for (let day = 0; day < DAYS; day++) await goOn(fleet, DAY_MS, day < 2 || day === DAYS - 1)
    return await Promise.all(fleet.ships.map((ship) => readOutcome(fleet, ship)))
  } finally {
    await fleet.close()
  }
}

/** The pauses of a breaker are real time, and a fast machine would run all days within one of them. */
function goOn(fleet: Fleet, ms: number, isSettled = false): Promise<void> {
  passRealTime(MINUTE_MS)
  return fleet.later(ms, { isSettled })
}

/** Several payments at once. Each has random numbers of its own, so that a run can be repeated. */
async function sailAll(fleet: Fleet, payments: number, seed: number): Promise<void> {
  let next = 0
  const lane = async () => {
    for (let number = next++; number < payments; number = next++) {
      const random = seededRandom(seed + number)
      await sail(fleet, pick(random, fleet.ships), random, number)
      if (number % 25 === 0) await fleet.later(MINUTE_MS)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
}

export function addUp(all: readonly Outcome[]): Outcome[] {
  const names = [...new Set(all.map(({ name }) => name))]
  return names.map((name) =>
    all
      .filter((each) => each.name === name)
      .reduce((sum, each) => ({
        name,
        payments: sum.payments + each.payments,
        statuses: join(sum.statuses, each.statuses),
        needsPerson: { ...sum.needsPerson, ...join(sum.needsPerson, each.needsPerson) },
        operations: join(sum.operations, each.operations),
        surplus: { ...sum.surplus, ...join(sum.surplus, each.surplus) },
        warnings: join(sum.warnings, each.warnings),
        sentTwice: sum.sentTwice + each.sentTwice,
        deaths: sum.deaths + each.deaths,
        faults: [...sum.faults, ...each.faults],
      })),
  )
}

function join(one: Record<string, number>, other: Record<string, number>): Record<string, number> {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]))
}

export function describeOutcomes(outcomes: readonly Outcome[]): string {
  const listed = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')
  return outcomes
    .map(({ name, payments, statuses, needsPerson, operations, surplus, warnings, sentTwice, deaths }) =>
      [
        `${name}: ${payments} payments, ${needsPerson.any} need a person (${listed(needsPerson)}), ${sentTwice} told twice, ${deaths} processes died`,
        `  ${listed(statuses)}`,
        `  operations: ${listed(operations)}`,
        `  surplus: ${listed(surplus)}`,
        ...(Object.keys(warnings).length > 0 ? [`  warnings: ${listed(warnings)}`] : []),
      ].join('\n'),
    )
    .join('\n')
}
