import { appendFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { copyService, type Outcome, tryMutation } from '../../testing/histories/mutate.ts'
import { MUTATIONS } from '../../testing/histories/mutations.ts'

/** `MUTATIONS_ONLY`: names, separated by blanks. `MUTATIONS_OUT`: a file to which each result is added at once. */
const {
  MUTATIONS_RUNS = '300',
  MUTATIONS_SEED = '1',
  MUTATIONS_ONLY,
  MUTATIONS_SKIPPED = '',
  MUTATIONS_OUT,
} = process.env

test('the random histories find deliberate faults of the money code', async () => {
  const copy = await copyService()
  const chosen = MUTATIONS.filter(
    ({ name }) => MUTATIONS_ONLY === undefined || MUTATIONS_ONLY.split(' ').includes(name),
  )
  const skipped = MUTATIONS_SKIPPED.split(' ').filter(Boolean).map(Number)
  const given = { runs: Number(MUTATIONS_RUNS), seed: Number(MUTATIONS_SEED), skipped }
  const outcomes: Outcome[] = []
  try {
    for (const mutation of chosen) {
      const outcome = await tryMutation(copy, mutation, given)
      outcomes.push(outcome)
      const line = `${outcome.name} (${outcome.what}): ${outcome.result}`
      console.info(line)
      if (MUTATIONS_OUT) await appendFile(MUTATIONS_OUT, `${line}\n`)
    }
  } finally {
    await copy.remove()
  }
  expect(outcomes.filter(({ result }) => /not applicable|did not run/.test(result))).toEqual([])
}, 7_200_000)
