/**
 * The order book passes what every receiver kit must pass, as a program of its own. `many-sales.test.ts` lets it die, and
 * `npm run test:long` kills it.
 */
import { beforeAll, describe } from 'vitest'
import { testKit } from '../documents/reference/kits.suite.ts'
import { ORDER_BOOK } from '../testing/kits/order-book-shop.ts'
import { type RecordedPayments, recordPayments } from '../testing/kits/recorded-payments.ts'
import { openKassa } from '../testing/scene.ts'

let recorded: RecordedPayments
const kassa = await openKassa({ worker: true })
beforeAll(async () => {
  recorded = await recordPayments(kassa)
})

describe('the order book', () => testKit(ORDER_BOOK, () => ({ kassa, recorded })))
