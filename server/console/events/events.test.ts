/** Events and provider accounts in the console: what they show, and what is done from there. */
import { expect, test } from 'vitest'
import { listEventPage } from '../../operator/event-history.ts'
import { replaySome } from '../../operator/event-replay.ts'
import { setCallback } from '../../receivers/receiver.ts'
import { readAuditChain } from '../../storage/audit/log.ts'
import { openShop } from '../../testing/harness.ts'
import { operatingExamples } from '../../testing/operating-examples.ts'
import { openConsole } from '../../testing/scene/console.ts'

const { kassa, shop, signIn } = await openConsole(
  {},
  { callbackUrl: 'https://shop.example/callback?key=hidden' },
)
const { merchantId } = shop
const ids = await operatingExamples(kassa.ctx, kassa.url, shop)
const foreign = await operatingExamples(kassa.ctx, kassa.url, await openShop(kassa.ctx))
const operator = await signIn('operator')
const owner = await signIn('shop')
const path = `/sandbox/shops/${merchantId}`

const query = (text: string, values: unknown[] = []) => kassa.ctx.db.query(text, values)
const states = async () => {
  const { events } = await listEventPage(kassa.ctx, { merchantId: shop.merchantId, limit: 500 })
  return events.map(({ state }) => state)
}
const acts = async (what: string) =>
  (await readAuditChain(kassa.ctx.db, 0, 1_000)).filter((row) => row.what === what).map(({ who }) => who)

test('a dead callback is told with its numbers, and its day is sent again, by its own shop too', async () => {
  await query(`update sandbox.events set state = 'exhausted', due_at = null where merchant_id = $1`, [
    shop.merchantId,
  ])
  const dead = await states()
  const { text } = await owner.get(`${path}/events?day=today&state=exhausted`)
  expect(text).toContain(`given up ${dead.length}`)
  expect(text).toContain('https://shop.example/callback')
  expect(text).not.toContain('key=hidden')
  for (const wrong of [{ day: 'some time' }, { day: '' }, {}, { day: 'x'.repeat(5_000) }]) {
    const answer = await owner.post(`${path}/events/replay`, { state: '', ...wrong } as Record<
      string,
      string
    >)
    expect([wrong, answer.status]).toEqual([wrong, 422])
  }
  expect(await states()).toEqual(dead)
  const { location } = await owner.post(`${path}/events/replay`, { day: 'today', state: 'exhausted' })
  expect(location).toBe(`${path}/events?day=today&sent=${dead.length}`)
  expect(await states()).toEqual(dead.map(() => 'pending'))
  expect((await owner.get(location ?? '')).text).toMatch(/on its way \d+/)
  expect(await acts('event replay')).toContain('A shop')
  // An event that the shop knows already keeps its id: nothing is added by sending it twice.
  await owner.post(`${path}/events/replay`, { day: 'today', state: '' })
  expect(await states()).toHaveLength(dead.length)
})

test('the events of one payment are shown alone, and each cut goes away with one tap', async () => {
  const id = ids[':kind/:case'] ?? ''
  const { rows } = await query('select id from sandbox.events where payment_id = $1', [id])
  const listed = (text: string) =>
    [...text.matchAll(/events\/(evt_\w+)" class="row"/g)].map(([, event]) => event)
  const { text } = await owner.get(`${path}/events?payment=${id}&day=today&state=pending`)
  expect(listed(text).sort()).toEqual(rows.map((row) => row.id).sort())
  const tags = [...text.matchAll(/class="tag" href="([^"]+)"/g)].map(([, href]) =>
    href?.replaceAll('&amp;', '&'),
  )
  expect(tags).toEqual([
    `${path}/events?day=today&state=pending`,
    `${path}/events?state=pending&payment=${id}`,
    `${path}/events?day=today&payment=${id}`,
  ])
  // A day is sent again as a whole, so that is not offered below the events of one payment.
  expect(text).not.toContain('/events/replay"')
  for (const strange of [foreign[':kind/:case'], 'pay_test_nothing_at_all', 'nothing'])
    expect((await owner.get(`${path}/events?payment=${strange}`)).status).toBe(404)
})

test('the page shows by itself how far the sending is, and stops when it is done', async () => {
  const { merchantId } = shop
  const set = (state: string) =>
    query(`update sandbox.events set state = $2, due_at = null where merchant_id = $1`, [merchantId, state])
  const address = `${path}/events?day=today`
  await owner.post(`${path}/events/replay`, { day: 'today', state: '' })
  const { text } = await owner.get(address)
  const [, mark = ''] = /data-live="([^"]*)" data-pause="3"/.exec(text) ?? []
  expect((await owner.get(`${address}&live=1&mark=${mark}`)).status).toBe(204)
  await set('exhausted')
  const done = await owner.get(`${address}&live=2&mark=${mark}`)
  expect([done.status, done.headers.get('retry-after')]).toEqual([200, null])
  expect(done.text).toMatch(/given up \d+/)
  expect(done.text).not.toContain('data-pause')
  const one = `${path}/events/${ids['events/:event']}`
  expect((await owner.get(one)).text).not.toContain('data-pause')
  await owner.post(`${one}/replay`, {})
  expect((await owner.get(`${one}?sent=1`)).text).toContain('data-pause="3"')
})

test('many events are sent in parts, each behind the one before', async () => {
  const { merchantId } = shop
  const [first] = (
    await query('select id, payment_id from sandbox.events where merchant_id = $1 limit 1', [merchantId])
  ).rows
  await query(
    `insert into sandbox.events select (jsonb_populate_record(e, jsonb_build_object('id', e.id || lpad(n::text, 3, '0'), 'sequence', 1000 + n,
       'state', 'exhausted', 'due_at', null))).* from sandbox.events e, generate_series(1, 450) n where e.id = $1`,
    [first.id],
  )
  const parts = []
  for (let from: string | null = ''; from !== null; ) {
    const given = { merchantId, latest: false, most: 1, ...(from && { from }) }
    const { count, next }: { count: number; next: string | null } = await replaySome(kassa.ctx, given)
    parts.push(count)
    from = next
  }
  expect(parts.slice(0, 2)).toEqual([200, 200])
  expect(new Set(await states())).toEqual(new Set(['pending']))
  const pages = [(await owner.get(`${path}/events`)).text]
  const [, next = ''] = /class="button quiet" href="([^"]+after=[^"]+)"/.exec(pages[0] ?? '') ?? []
  pages.push((await owner.get(next.replaceAll('&amp;', '&'))).text)
  const listed = pages.map((text) =>
    [...text.matchAll(/events\/(evt_\w+)" class="row"/g)].map(([, id]) => id),
  )
  expect(listed.map((each) => new Set(each).size)).toEqual([25, 25])
  expect(new Set(listed.flat()).size).toBe(50)
  await query(`delete from sandbox.events where merchant_id = $1 and sequence > 1000`, [merchantId])
})

test('one event shows its body and its tries, and is sent again; another shop has none', async () => {
  const id = ids['events/:event'] ?? ''
  const page = await owner.get(`${path}/events/${id}`)
  expect(page.text).toContain('&quot;payment&quot;')
  expect((await owner.post(`${path}/events/${id}/replay`, {})).location).toBe(`${path}/events/${id}?sent=1`)
  const strange = foreign['events/:event'] ?? ''
  for (const end of ['', '/replay']) {
    const call = (address: string) => (end ? owner.post(address, {}) : owner.get(address))
    expect((await call(`${path}/events/${strange}${end}`)).status).toBe(404)
    expect((await call(`${path}/events/evt_nothing_at_all${end}`)).status).toBe(404)
  }
  await query(`update sandbox.events set body = '' where id = $1`, [id])
  expect((await owner.post(`${path}/events/${id}/replay`, {})).text).toContain('The buyer was forgotten')
  await setCallback(kassa.ctx, shop.merchantId, 'https://shop.example/other')
})

test('an account shows what is known and no secret, and is tested from here', async () => {
  const at = `/sandbox/accounts/${ids['accounts/:account']}`
  expect((await operator.get('/sandbox/accounts')).text).toContain(at)
  const pages = [await operator.get(at), await operator.post(`${at}/test`, {})]
  for (const { status, text } of pages) {
    expect(status).toBe(200)
    expect(text).not.toContain('a secret that no page shows')
    expect(text).toContain('SECRET')
  }
  expect(pages[1]?.text).toContain('class="findings"')
  expect(await acts('account test')).toContain('A operator')
  expect((await owner.get(at)).status).toBe(403)
  for (const id of ['acc_test_nothing', 'x', 'acc_constructor'])
    expect((await operator.get(`/sandbox/accounts/${id}`)).status).toBe(404)
})
