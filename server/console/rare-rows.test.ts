/** Lists of what is rare among very many: a page looks at 5,000 rows and says so, and the next one continues there. */
import { expect, test } from 'vitest'
import { listEvents } from '../storage/events/event-history.ts'
import { listSubscriptions } from '../storage/search/subscriptions.ts'
import { lengthenLists } from '../testing/books/long-lists.ts'
import { watchPlans } from '../testing/books/plans.ts'
import { makeExamples } from '../testing/console-examples.ts'
import { openShop, type Shop } from '../testing/harness.ts'
import { openConsole } from '../testing/scene/console.ts'

const COPIES = 5_400

const { kassa, shop, signIn } = await openConsole({ isNew: true })
const small = await openShop(kassa.ctx)
const examples = await makeExamples(kassa, shop, small)
await lengthenLists(kassa, { shop, examples, to: { events: COPIES, subscriptions: COPIES } })
const owner = await signIn('shop')
const neighbour = await signIn('shop', { name: 'A neighbour', merchantId: small.merchantId })
for (const [table, common, rare] of [
  [
    'events',
    `state = 'delivered', due_at = null, delivered_at = created_at`,
    `state = 'unaddressed', delivered_at = null`,
  ],
  ['subscriptions', `status = 'active'`, `status = 'past_due'`],
] as const) {
  await kassa.ctx.db.query(`update sandbox.${table} set ${common} where merchant_id = $1`, [shop.merchantId])
  const oldest = `select min(id) from sandbox.${table} where merchant_id = $1`
  await kassa.ctx.db.query(`update sandbox.${table} set ${rare} where id = (${oldest})`, [shop.merchantId])
}

const pathOf = (list: string, { merchantId }: Shop) => `/sandbox/shops/${merchantId}/${list}`
const rowsIn = (text: string, list: string) =>
  [...text.matchAll(new RegExp(`href="[^"]+/${list}/(\\w+)" class="row"`, 'g'))].map(([, id]) => id)
const nextIn = (text: string) => /href="([^"]+)">Further ones</.exec(text)?.[1]?.replaceAll('&amp;', '&')
const oldestOf = async (table: string) =>
  (
    await kassa.ctx.db.query(`select min(id) as id from sandbox.${table} where merchant_id = $1`, [
      shop.merchantId,
    ])
  ).rows[0].id

test.each([
  ['events', 'state=unaddressed'],
  ['subscriptions', 'status=past_due'],
])('the oldest of the %s is on the second page of its kind', async (list, query) => {
  const first = await owner.get(`${pathOf(list, shop)}?${query}`)
  expect([first.status, rowsIn(first.text, list)]).toEqual([200, []])
  expect(first.text).toContain('Nothing was found so far. The list goes on.')
  const second = await owner.get(nextIn(first.text) ?? '')
  expect(rowsIn(second.text, list)).toEqual([await oldestOf(list)])
  expect(nextIn(second.text)).toBeUndefined()
  expect((await neighbour.get(nextIn(first.text) ?? '')).status).toBe(404)
})

test('a page of a small shop reads no rows of a large one, however PostgreSQL plans', async () => {
  const { merchantId } = small
  const none = { paymentId: null, fromId: null, toId: null }
  for (const plan of ['custom', 'generic'] as const) {
    const { db, cost, end } = watchPlans(kassa.databaseUrl, plan)
    for (const state of [null, 'exhausted', 'delivered', 'pending'] as const) {
      const { blocks } = await cost(() => listEvents(db, { merchantId, state, ...none }, 26))
      expect([plan, state, blocks < 100]).toEqual([plan, state, true])
    }
    for (const status of [undefined, 'active', 'past_due'] as const) {
      const { blocks } = await cost(() => listSubscriptions(db, { merchantId, status, limit: 26 }))
      expect([plan, status, blocks < 100]).toEqual([plan, status, true])
    }
    await end()
  }
})
