/** Addresses that anybody can ask as often as they like: many requests cause few statements at the database. */
import { afterAll, beforeEach, expect, test } from 'vitest'
import { countStatements } from '../testing/attacks/cost-meter.ts'
import { createSession } from '../testing/calls.ts'
import { openShop } from '../testing/harness.ts'
import { openKassa } from '../testing/scene.ts'

const REQUESTS = 60

const statements = countStatements()
const kassa = await openKassa({ settings: { RATE_LIMITS: 'return=0.01:20,page=0.01:20' } })
beforeEach(() => void statements.take())
afterAll(() => statements.stop())

async function ask(pathOf: (index: number) => string): Promise<number[]> {
  const statuses: number[] = []
  for (let index = 0; index < REQUESTS; index += 10)
    await Promise.all(
      Array.from({ length: 10 }, async (_, each) => {
        const answer = await fetch(kassa.url + pathOf(index + each), { redirect: 'manual' })
        await answer.text()
        statuses.push(answer.status)
      }),
    )
  return statuses
}

test.each(['/api/health', '/readyz'])('%s asks the database a few times a second at most', async (path) => {
  const started = performance.now()
  expect(new Set(await ask(() => path))).toEqual(new Set([200]))
  // Five times a second, and the checks of the keys and of a move once in five seconds.
  const seconds = 1 + (performance.now() - started) / 1_000
  expect(statements.take().length).toBeLessThanOrEqual(5 * seconds + 5 * Math.ceil(seconds / 5))
})

test('unknown versions of the widget cause a few look-ups', async () => {
  const started = performance.now()
  expect(new Set(await ask((index) => `/widget/9.${index}.0/kassa.js`))).toEqual(new Set([404]))
  expect(statements.take().length).toBeLessThanOrEqual(6 + (performance.now() - started) / 1_000)
})

test('returns from a provider have a limit, which visits of other pages do not use up', async () => {
  const shop = await openShop(kassa.ctx)
  const { body } = await createSession(kassa.url, shop, { key: 'return' })
  const page = new URL(body.checkoutUrl).pathname
  const seen = await ask(() => page)
  expect(seen.filter((status) => status === 429)).toHaveLength(REQUESTS - 20)
  const paths = [`${page}/return`, `/returns/${kassa.ctx.routes.route_a.id}`]
  const back = await ask((index) => paths[index % 2] ?? '')
  expect(back.filter((status) => status !== 429)).toHaveLength(20)
})
