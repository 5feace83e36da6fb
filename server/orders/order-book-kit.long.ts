import { test } from 'vitest'
import { HEADINGS, surviveKitCrashes } from '../testing/kits/kit-crash.suite.ts'
import { ORDER_BOOK } from '../testing/kits/order-book-shop.ts'
import { freshSeed } from '../testing/random.ts'

test('in two processes, killed ten times during 300 events, it decides each order once and forgets none', async () => {
  const row = await surviveKitCrashes(ORDER_BOOK, { events: 300, kills: 10, seed: freshSeed() })
  process.stdout.write(`${HEADINGS}\n${row}\n`)
})
