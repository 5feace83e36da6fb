import { expect, test } from 'vitest'
import { findPlanted } from './reconcile.suite.ts'

const PAYMENTS = 400
/** The rows of each payment and its lines are copied, because 20,000 payments at the simulators take an hour. */
const COPIES = 49
const PLANTED = 50

test(`of ${PLANTED} differences in the statements of ${PAYMENTS * (COPIES + 1)} payments each is found, and no other`, async () => {
  const { lines, seconds, rssBytes } = await findPlanted({
    payments: PAYMENTS,
    copies: COPIES,
    planted: PLANTED,
  })
  expect(lines).toBeGreaterThan(PAYMENTS * COPIES)
  console.info(`${lines} lines compared twice in ${seconds.toFixed(1)} s, ${Math.round(rssBytes / 1e6)} MB`)
})
