/** The order book passes what every receiver kit must pass: as a program of its own, so that it can be killed. */
import { beforeAll, describe, expect, test } from 'vitest'
import { testKit } from '../documents/reference/kits.suite.ts'
import { surviveKitCrashes } from '../testing/kits/kit-crash.suite.ts'
import { ORDER_BOOK } from '../testing/kits/order-book-shop.ts'
import { type RecordedPayments, recordPayments } from '../testing/kits/recorded-payments.ts'
import { openKassa } from '../testing/scene.ts'

let recorded: RecordedPayments
const kassa = await openKassa({ worker: true })
beforeAll(async () => {
  recorded = await recordPayments(kassa)
})

describe('the order book', () => testKit(ORDER_BOOK, () => ({ kassa, recorded })))

test('in two processes, killed once, it decides each order once and forgets none', async () => {
  expect(await surviveKitCrashes(ORDER_BOOK, { events: 16, kills: 1, seed: 7 })).toContain('the order book')
})
