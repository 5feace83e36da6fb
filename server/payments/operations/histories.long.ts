import { expect, test } from 'vitest'
import { play, readSteps, searchHistories } from '../../testing/histories/run.ts'
import { closeWorld, startWorld } from '../../testing/histories/world.ts'
import { freshSeed, seedsFrom } from '../../testing/random.ts'

/**
 * `HISTORIES_LANES` histories run at once, each with a deployment of its own. After `HISTORIES_MINUTES` no other one begins. A history
 * that breaks a rule is repeated with fewer steps, and printed. `HISTORIES_STEPS` plays the steps of such a line again: `HISTORIES_STEPS='lateMoney 0 2453, jump 0 3'`.
 * `histories-mutations.long.ts` puts deliberate faults into a copy of the service, and these histories look for them.
 */
const {
  HISTORIES_RUNS = '3000',
  HISTORIES_SEED = String(freshSeed()),
  HISTORIES_LANES = '2',
  HISTORIES_MINUTES = '15',
  HISTORIES_STEPS,
  HISTORIES_SHRINK = 'true',
  HISTORIES_SKIPPED = '',
} = process.env

test(`in ${HISTORIES_RUNS} random histories at Stripe, PayPal and a bank no rule is broken`, async () => {
  if (HISTORIES_STEPS !== undefined) return playOne(HISTORIES_STEPS)
  const skipped = HISTORIES_SKIPPED.split(' ').filter(Boolean).map(Number)
  const found = await searchHistories({
    seeds: seedsFrom(Number(HISTORIES_SEED), Number(HISTORIES_RUNS)).filter(
      (seed) => !skipped.includes(seed),
    ),
    lanes: Number(HISTORIES_LANES),
    minutes: Number(HISTORIES_MINUTES),
    isShrinking: HISTORIES_SHRINK === 'true',
  })
  if (found) console.info(`found by seed ${found.seed}, after ${found.after} others\n${found.report}`)
  expect(found?.report).toBeUndefined()
}, 7_200_000)

async function playOne(text: string): Promise<void> {
  const world = await startWorld()
  const { faults, lines } = await play(world, readSteps(text)).finally(() => closeWorld(world))
  console.info([...lines, ...faults].join('\n'))
  expect(faults).toEqual([])
}
