import { expect, test } from 'vitest'
import { findPlanted } from './reconcile.suite.ts'

/** At each provider every kind of dispute happens, and every kind of difference is planted. `npm run test:long` makes more payments. */
const PAYMENTS = 27
const PLANTED = 9

test(`of ${PLANTED} differences in the statements of ${PAYMENTS} payments each is found, and no other`, async () => {
  const { lines, seconds, rssBytes } = await findPlanted({ payments: PAYMENTS, planted: PLANTED })
  expect(lines).toBeGreaterThan(PAYMENTS)
  console.info(`${lines} lines compared twice in ${seconds.toFixed(1)} s, ${Math.round(rssBytes / 1e6)} MB`)
}, 300_000)
