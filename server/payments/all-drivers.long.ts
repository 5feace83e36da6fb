/**
 * Ten thousand payments over all drivers in random order, with random faults on the way, and the clock run forward: every one ends, and
 * the books of the providers are ours. It prints its seed, and how many payments needed a person. `ALL_DRIVERS_SEED` and
 * `ALL_DRIVERS_PAYMENTS` repeat a piece.
 */
import { expect, test } from 'vitest'
import { addUp, describeOutcomes, runFleet } from '../testing/providers/fleet/run.ts'
import { freshSeed } from '../testing/random.ts'

const { ALL_DRIVERS_PAYMENTS = '10000', ALL_DRIVERS_SEED = String(freshSeed()) } = process.env
/** Each piece has a service of its own, because the questions about payments that are over would become too many. */
const PIECE = 500

test(`${ALL_DRIVERS_PAYMENTS} payments over all drivers end, with the books of the providers`, async () => {
  const [payments, seed] = [Number(ALL_DRIVERS_PAYMENTS), Number(ALL_DRIVERS_SEED)]
  console.info(`ALL_DRIVERS_SEED=${seed}`)
  const outcomes = []
  for (let done = 0; done < payments; done += PIECE) {
    const piece = { payments: Math.min(PIECE, payments - done), seed: seed + done }
    const found = await runFleet(piece)
    outcomes.push(...found)
    console.info(`${done + piece.payments} payments so far:\n${describeOutcomes(addUp(outcomes))}`)
    const faults = found.flatMap((each) => each.faults.map((fault) => `${each.name}: ${fault}`))
    expect([piece, faults]).toEqual([piece, []])
  }
}, 7_200_000)
