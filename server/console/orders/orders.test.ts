/** The order book in the console: packing by taps, questions, notes, slips, and what an attacker sends. */
import { expect, test } from 'vitest'
import { ORDER_BOOK_URL } from '../../merchants/order-book-address.ts'
import { workOnDue } from '../../orders/work.ts'
import { setCallback } from '../../receivers/receiver.ts'
import { inTransaction } from '../../storage/db.ts'
import { listOrders } from '../../storage/orders/lists.ts'
import { listOrderChanges, type OrderRecord } from '../../storage/orders/orders.ts'
import { storeOrderPayment } from '../../storage/orders/payments.ts'
import { watchPlans } from '../../testing/books/plans.ts'
import { hiddenIn, openAs } from '../../testing/console.ts'
import { openShop } from '../../testing/harness.ts'
import { openConsole } from '../../testing/scene/console.ts'

const SCRIPT = '<script>alert(1)</script>'
const { kassa, desk, shop, signIn } = await openConsole({ isNew: true })
await setCallback(kassa.ctx, shop.merchantId, ORDER_BOOK_URL)
await signIn('administrator')
const browser = await signIn('shop')

const at = (end = '') => `/sandbox/shops/${shop.merchantId}/orders${end}`
let sold = 0

/** An order whose payment has these facts. */
async function sell(facts: object = {}): Promise<OrderRecord> {
  const reference = `order-${++sold}`
  const now = new Date(kassa.clock.now().getTime() + sold)
  const named = {
    merchantId: shop.merchantId,
    paymentId: `pay_test_${reference}abcdefgh`,
    reference,
    sequence: 1,
  }
  const sums = {
    status: 'paid',
    amountMinor: 1_250,
    capturedMinor: 1_250,
    refundedMinor: 0,
    currency: 'USD',
  } as const
  const buyer = { customer: { name: 'Ани', phone: '+374 10 000000' }, metadata: { note: SCRIPT } }
  await storeOrderPayment(
    kassa.ctx.db,
    { ...named, ...sums, buyer, takenBack: false, eventAt: now, ...facts },
    now,
  )
  kassa.clock.advance(1_000)
  while ((await workOnDue(kassa.ctx)) > 0);
  return stored(reference)
}
async function stored(reference: string): Promise<OrderRecord> {
  const all = { since: new Date(0), until: new Date(kassa.clock.now().getTime() + 86_400_000), way: null }
  const found = await listOrders(kassa.ctx.db, {
    ...all,
    merchantId: shop.merchantId,
    needsPerson: false,
    limit: 500,
  })
  return found.find((each) => each.reference === reference) as OrderRecord
}
const changesOf = async ({ id }: OrderRecord) =>
  (await listOrderChanges(kassa.ctx.db, shop.merchantId, id)).filter(({ by }) => by)
const move = (id: string, form: Record<string, string>) => browser.post(at(`/${id}/move`), form)
const note = (id: string, form: Record<string, string>) => browser.post(at(`/${id}/note`), form)

test('an order is packed and sent with a tap each, and a second tap changes nothing', async () => {
  const order = await sell()
  const list = await browser.get(at())
  expect(list.text).not.toContain(SCRIPT)
  const form = { ...hiddenIn(list.text.slice(list.text.indexOf(`orders/${order.id}/move`))), from: 'list' }
  expect(form).toMatchObject({ to: 'packed', seen: String(order.changes) })
  const both = await Promise.all([move(order.id, form), move(order.id, form)])
  for (const { location } of both) expect(location).toMatch(/orders\?moved=packed&number=/)
  expect((await browser.get(both[0]?.location ?? '')).text).toMatch(/role="status">Order \w{4} \w{4}: packed/)
  expect(await changesOf(order)).toMatchObject([{ by: 'A shop', toWay: 'packed' }])
  // The form that was shown before is late.
  expect((await move(order.id, { ...form, to: 'sent' })).status).toBe(422)
  const page = await browser.get(at(`/${order.id}`))
  const sent = { ...hiddenIn(page.text.slice(page.text.indexOf('/move'))) }
  expect((await move(order.id, { ...sent, to: 'sent' })).location).toBe(at(`/${order.id}?moved=sent`))
  expect(await stored(order.reference)).toMatchObject({ way: 'sent' })
})

test('a question stands first, holds the order, and is answered with a reason', async () => {
  const order = await sell({ takenBack: true })
  expect(order.question).not.toBeNull()
  const { text } = await browser.get(at())
  expect(text.indexOf('To decide')).toBeLessThan(text.indexOf(order.id))
  const seen = String(order.changes)
  const refused = await move(order.id, { to: 'packed', seen })
  expect([refused.status, refused.text.includes('Somebody must decide')]).toEqual([422, true])
  for (const wrong of ['', ' ', 'x'.repeat(2_001), 'card 4111 1111 1111 1111'])
    expect([
      wrong.slice(0, 30),
      (await note(order.id, { text: wrong, seen, answers: 'yes' })).status,
    ]).toEqual([wrong.slice(0, 30), 422])
  const answer = { text: `kept ${SCRIPT}`, seen, answers: 'yes' }
  for (const _ of [1, 2]) expect((await note(order.id, answer)).location).toBe(at(`/${order.id}?done=noted`))
  expect(await changesOf(order)).toHaveLength(1)
  expect(await stored(order.reference)).toMatchObject({ question: null })
  const shown = await browser.get(at(`/${order.id}`))
  expect([shown.text.includes(SCRIPT), shown.text.includes('kept &lt;script>')]).toEqual([false, true])
})

test('an answer with the words of the note before is an answer, and the same answer twice is one', async () => {
  const order = await sell({ takenBack: true })
  const text = 'keep it'
  await note(order.id, { text, seen: String(order.changes) })
  // The form was open while the note was written.
  const late = await note(order.id, { text, seen: String(order.changes), answers: 'yes' })
  expect([late.status, (await stored(order.reference)).question]).toEqual([422, order.question])
  const answer = { text, seen: String(order.changes + 1), answers: 'yes' }
  for (const _ of [1, 2]) expect((await note(order.id, answer)).location).toBe(at(`/${order.id}?done=noted`))
  expect(await changesOf(order)).toMatchObject([{ kind: 'remark' }, { kind: 'answered' }])
  expect(await stored(order.reference)).toMatchObject({ question: null })
})

test('a long history is not read for a page of it, on any way', async () => {
  const first = await sell()
  await move(first.id, { to: 'packed', seen: String(first.changes) })
  const { merchantId } = shop
  await kassa.ctx.db.query(
    `insert into sandbox.order_payments select merchant_id, 'pay_old_' || n, 'old-' || n, sequence, status, amount_minor, captured_minor,
       refunded_minor, currency, null, taken_back, null, event_at from sandbox.order_payments, generate_series(1, 20000) n
     where merchant_id = $1 and payment_id = $2`,
    [merchantId, first.paymentId],
  )
  await kassa.ctx.db.query(
    `insert into sandbox.orders (merchant_id, id, reference, payment_id, number, way, decision, created_at)
     select $1, 'ord_old_' || n, 'old-' || n, 'pay_old_' || n, n::text, 'done', 'deliver', $2::timestamptz - n * interval '1 minute'
     from generate_series(1, 20000) n`,
    [merchantId, kassa.clock.now()],
  )
  await kassa.ctx.db.query('analyze sandbox.orders, sandbox.order_payments')
  const wanted = {
    merchantId,
    since: new Date(0),
    until: new Date(kassa.clock.now().getTime() + 1),
    limit: 25,
  }
  /** How many rows PostgreSQL reads for the page. */
  const readBy = (wish: object) =>
    inTransaction(kassa.ctx.db, async (tx) => {
      const queries: { text: string; values: unknown[] }[] = []
      const query = (config: (typeof queries)[number]) => {
        queries.push(config)
        return tx.query(config.text, config.values)
      }
      const watched = { world: tx.world, named: false, query } as never
      await listOrders(watched, { ...wanted, way: null, needsPerson: false, ...wish })
      const { text, values } = queries.at(-1) ?? { text: '', values: [] }
      const { rows } = await tx.query(`explain (analyze, format text, timing off) ${text}`, values)
      const read = JSON.stringify(rows).matchAll(/rows=(\d+)(?:\.\d+)? loops=(\d+)|Removed by Filter: (\d+)/g)
      return [...read].reduce(
        (sum, [, count = 0, loops = 1, removed = 0]) => sum + Number(count) * Number(loops) + Number(removed),
        0,
      )
    })
  expect(await readBy({})).toBeGreaterThanOrEqual(wanted.limit)
  const middle = { after: 'ord_old_10000' }
  const wishes = [
    {},
    { way: 'packed' },
    { way: 'new' },
    { way: 'new', statuses: ['paid', 'partially_refunded'] },
    { needsPerson: true },
    middle,
    { ...middle, way: 'done' },
  ] as const
  // One plan for all ways.
  const generic = watchPlans(kassa.databaseUrl, 'generic')
  for (const wish of wishes) {
    expect([wish, (await readBy(wish)) < 400]).toEqual([wish, true])
    const page = { ...wanted, way: null, needsPerson: false, ...wish }
    const { blocks } = await generic.cost(() => listOrders(generic.db, page))
    expect([wish, blocks, blocks < 400]).toEqual([wish, blocks, true])
  }
  await generic.end()
})

test('what has no money stays, unless a person has decided', async () => {
  const order = await sell()
  await sell({
    reference: order.reference,
    paymentId: order.paymentId,
    sequence: 2,
    status: 'refunded',
    refundedMinor: 1_250,
    takenBack: true,
  })
  const seen = String((await stored(order.reference)).changes)
  const refused = await move(order.id, { to: 'sent', seen })
  expect([refused.status, refused.text.includes('went back to the buyer')]).toEqual([422, true])
  for (const form of [
    { to: 'nowhere', seen },
    { to: 'sent', seen: 'x' },
    { to: 'sent', seen: '' },
  ])
    await move(order.id, form)
  expect(await stored(order.reference)).toMatchObject({ way: 'new' })
  expect((await move(order.id, { to: 'cancelled', seen, anyway: 'yes' })).status).toBe(303)
  expect(await stored(order.reference)).toMatchObject({ way: 'cancelled' })
})

test('the slip has what the buyer wrote and nothing of the shop’s notes, and the list has the day', async () => {
  const order = await sell()
  await note(order.id, { text: 'rings before noon', seen: String(order.changes) })
  const slip = await browser.get(at(`/${order.id}/slip`))
  expect([slip.text.includes('Ани'), slip.text.includes('rings'), slip.text.includes(SCRIPT)]).toEqual([
    true,
    false,
    false,
  ])
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Yerevan' }).format(kassa.clock.now())
  const list = await browser.get(`${at('-print')}?day=${day}`)
  expect(list.text.match(/class="parcel"/g)?.length).toBeGreaterThanOrEqual(3)
  for (const query of ['day=2026-13-45', 'day=%00', 'day=x', 'day[]=1'])
    expect((await browser.get(`${at('-print')}?${query}`)).status).toBe(200)
  for (const query of ['way=nothing', 'way=packed&after=nothing', 'moved=packed&number=%3Cscript%3E'])
    expect((await browser.get(`${at()}?${query}`)).text).not.toContain('<script>')
})

test('newer orders without money hide none that is to be packed, and a cut list leads to its rest', async () => {
  const { merchantId } = await openShop(kassa.ctx)
  const who = { role: 'shop', email: 'many@shop.example', name: 'A potter', merchantId } as const
  const { browser: potter } = await openAs(kassa.ctx, desk, who)
  const noon = new Date('2026-01-15T08:00:00Z')
  /** Orders with these numbers, the later ones newer, whose payments have this status. */
  const fill = async (from: number, to: number, status: string) => {
    const values = [merchantId, from, to, noon]
    await kassa.ctx.db.query(
      `insert into sandbox.order_payments (merchant_id, payment_id, reference, sequence, status, amount_minor, captured_minor,
         refunded_minor, currency, taken_back, event_at)
       select $1, 'pay_many_' || n, 'many-' || n, 1, $5, 1250, 1250, 0, 'USD', $5 = 'refunded', $4
       from generate_series($2::int, $3::int) n`,
      [...values, status],
    )
    await kassa.ctx.db.query(
      `insert into sandbox.orders (merchant_id, id, reference, payment_id, number, decision, created_at)
       select $1, 'ord_many_' || n, 'many-' || n, 'pay_many_' || n, n::text, 'deliver', $4::timestamptz + n * interval '1 second'
       from generate_series($2::int, $3::int) n`,
      values,
    )
  }
  const shop = `/sandbox/shops/${merchantId}`
  const read = async (page: string) => {
    const { text } = await potter.get(page.replaceAll('&amp;', '&'))
    const title = /<h2>(To pack|Waits for its money) \((\S+)\)/.exec(text)?.slice(1)
    const rest = /There are more than the 200 orders shown here\. <a href="([^"]+)"/.exec(text)?.[1] ?? null
    const slips = text.match(/class="parcel"/g)?.length ?? 0
    return { title, cards: text.match(/class="card order"/g)?.length ?? 0, slips, rest }
  }
  await fill(1, 1, 'paid')
  await fill(2, 202, 'refunded')
  expect(await read(`${shop}/orders`)).toEqual({ title: ['To pack', '1'], cards: 1, slips: 0, rest: null })
  expect(await read(`${shop}/orders-print`)).toMatchObject({ slips: 1, rest: null })

  await fill(301, 500, 'paid')
  const list = await read(`${shop}/orders`)
  expect(list).toMatchObject({ title: ['To pack', '200+'], cards: 200, rest: expect.any(String) })
  expect(await read(list.rest ?? '')).toMatchObject({ title: ['To pack', '1'], cards: 1, rest: null })
  const slips = await read(`${shop}/orders-print`)
  expect(slips).toMatchObject({ slips: 200, rest: expect.any(String) })
  expect(await read(slips.rest ?? '')).toMatchObject({ slips: 1, rest: null })
  // What waits for its money is as little hidden.
  await fill(600, 600, 'authorized')
  await fill(601, 801, 'refunded')
  await kassa.ctx.db.query(
    `update sandbox.orders set way = 'packed' where reference like 'many-3%' or reference like 'many-4%'`,
  )
  expect((await potter.get(`${shop}/orders`)).text).toContain('Waits for its money (1)')
  // The list of the day has all of them, and leads on until its end.
  const seen: number[] = []
  for (let page: string | null = `${shop}/orders-print?day=2026-01-15`; page && seen.length < 9; ) {
    const { slips: shown, rest } = await read(page)
    seen.push(shown)
    page = rest
  }
  expect(seen).toEqual([200, 200, 200, 4])
  expect((await potter.get(`${shop}/orders?group=nothing&after=nothing`)).status).toBe(200)
})
