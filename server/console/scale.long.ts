import { afterAll, beforeAll, expect, test } from 'vitest'
import { findPaymentById } from '../storage/payments/payments.ts'
import { openManyPayments, type Scene } from '../testing/books/many-scene.ts'
import { watchPlans } from '../testing/books/plans.ts'
import { openScreens, type ScreenCost, type Screens } from '../testing/books/screens.ts'

/**
 * What each screen of the console costs among many payments. `SCALE_PAYMENTS`: how many. `SCALE_PLANS` prints the statements. The costs
 * are the pages of the database that are read, because those do not depend on the machine. The times are printed, as a multiple of
 * reading one payment by its id.
 */
const MANY = Number(process.env.SCALE_PAYMENTS ?? 100_000)
const TIMES = 4
/** A statement may read one more level of each index, and a row that is elsewhere on its page. */
const GROWTH_MAX = 2
const BLOCKS_FREE = 500
/** These add up a time that has more payments in a larger book, or give out all payments of a day. */
const GIVES_OUT_MORE = /\/totals|\/payments\.csv/
/** These look at 5,000 rows for a search, and count 10,000 events. In a larger table each of the rows lies on a page of its own. */
const LOOKS_AT_MANY = /[?&]q=|\/events(\?|$)/
const LOOKED_MAX = 10_000

let scene: Scene
let screens: Screens
beforeAll(async () => {
  scene = await openManyPayments(MANY)
  screens = await openScreens(scene)
})
afterAll(async () => {
  await screens.close()
  await scene.kassa.close()
})

async function fill(count: number): Promise<Map<string, ScreenCost>> {
  await scene.fill(count)
  await screens.lengthen(count)
  return screens.costs()
}

async function oneReadMs(): Promise<number> {
  const { ctx, databaseUrl } = scene.kassa
  const { rows } = await ctx.db.query<{ id: string }>(
    'select id from sandbox.payments order by id desc limit 1',
  )
  const watched = watchPlans(databaseUrl, 'custom')
  const read = () => findPaymentById(watched.db, rows[0]?.id ?? '')
  const all: number[] = []
  for (let time = 0; time < 9; time++) all.push((await watched.cost(read)).ms)
  await watched.end()
  return all.sort((one, two) => one - two)[4] ?? Number.NaN
}

test(`${TIMES} times as many payments cost no screen more, but those that add up more`, async () => {
  const few = await fill(MANY / TIMES)
  const many = await fill(MANY)
  const singleMs = await oneReadMs()
  const grown: string[] = []
  for (const [name, { blocks, ms, statements, bytes, plans }] of many) {
    // A search that finds one payment leads to it, and is not compared.
    const before = few.get(name)?.blocks ?? Number.NaN
    const line = `${name}: ${statements} statements, ${before} to ${blocks} pages, ${(ms / singleMs).toFixed(0)} times one payment (${ms.toFixed(1)} ms), ${bytes} bytes`
    console.info(process.env.SCALE_PLANS ? `${line}\n  ${[...new Set(plans)].join('\n  ')}` : line)
    const times = GIVES_OUT_MORE.test(name) ? TIMES : 1
    const free = BLOCKS_FREE + (LOOKS_AT_MANY.test(name) ? LOOKED_MAX : 0)
    if (blocks > times * GROWTH_MAX * before + free) grown.push(line)
  }
  expect(many.size).toBeGreaterThan(40)
  expect(grown).toEqual([])
}, 3_600_000)
