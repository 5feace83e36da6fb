/** The order book passes what every receiver kit must pass: as a program of its own, so that it can be killed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testKit } from '../documents/reference/kits.suite.ts'
import { type Kassa, startKassa } from '../testing/harness.ts'
import { surviveKitCrashes } from '../testing/kits/kit-crash.suite.ts'
import { ORDER_BOOK } from '../testing/kits/order-book-shop.ts'
import { type RecordedPayments, recordPayments } from '../testing/kits/recorded-payments.ts'

let kassa: Kassa
let recorded: RecordedPayments
beforeAll(async () => {
  kassa = await startKassa({ worker: true })
  recorded = await recordPayments(kassa)
})
afterAll(() => kassa.close())

describe('the order book', () => testKit(ORDER_BOOK, () => ({ kassa, recorded })))

test('in two processes, killed once, it decides each order once and forgets none', async () => {
  expect(await surviveKitCrashes(ORDER_BOOK, { events: 16, kills: 1, seed: 7 })).toContain('the order book')
})
