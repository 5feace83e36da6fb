import { afterAll, beforeAll, expect, test } from 'vitest'
import { openManyPayments, type Scene } from '../testing/books/many-scene.ts'
import { type Cost, watchPlans } from '../testing/books/plans.ts'
import { questionsOf } from '../testing/books/questions.ts'

/**
 * What finding, listing, exporting and totals cost among many payments. `SCALE_PAYMENTS`: how many. The costs are the pages of the
 * database that are read, because those do not depend on the machine. The times are printed. `SCALE_PLANS` prints the indexes too.
 */
const MANY = Number(process.env.SCALE_PAYMENTS ?? 100_000)
const TIMES = 4
/** A question may read one more level of each index, and a row that is elsewhere on its page. */
const GROWTH_MAX = 2
const BLOCKS_FREE = 500

let scene: Scene
beforeAll(async () => {
  scene = await openManyPayments(MANY)
})
afterAll(() => scene.kassa.close())

/** The higher cost of each question: planned for its values, or planned once for all values. */
async function costs(): Promise<Map<string, Cost & { isWhole: boolean }>> {
  const { databaseUrl, ctx } = scene.kassa
  const watched = [watchPlans(databaseUrl, 'custom'), watchPlans(databaseUrl, 'generic')]
  const found = new Map<string, Cost & { isWhole: boolean }>()
  for (const { name, isWhole = false, ask } of await questionsOf(scene)) {
    const both: Cost[] = []
    for (const { db, cost } of watched) {
      // The first time warms the caches.
      await cost(() => ask({ ...ctx, db }))
      both.push(await cost(() => ask({ ...ctx, db })))
    }
    const [dearest] = both.sort((one, other) => other.blocks - one.blocks || other.ms - one.ms)
    if (dearest) found.set(name, { ...dearest, isWhole })
  }
  for (const { end } of watched) await end()
  return found
}

test(`${TIMES} times as many payments cost no question more, but those that give out more`, async () => {
  await scene.fill(MANY / TIMES)
  const few = await costs()
  await scene.fill(MANY)
  const many = await costs()
  const singleMs = many.get('one payment by its id')?.ms ?? Number.NaN
  const grown: string[] = []
  for (const [name, { blocks, ms, rows, isWhole, plans }] of many) {
    const before = few.get(name)?.blocks ?? 0
    const line = `${name}: ${before} to ${blocks} pages, ${ms.toFixed(2)} ms, ${(ms / singleMs).toFixed(0)} times one payment, ${rows} rows`
    console.info(process.env.SCALE_PLANS ? `${line}\n  ${[...new Set(plans)].join('\n  ')}` : line)
    const most = (isWhole ? TIMES : 1) * GROWTH_MAX * before + BLOCKS_FREE
    if (blocks > most) grown.push(line)
  }
  expect(grown).toEqual([])
}, 3_600_000)
