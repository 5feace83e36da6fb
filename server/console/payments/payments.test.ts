/** The screens of the console: who sees what, and giving money back. */
import { brotliCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSession } from '../../access/sessions.ts'
import { addUser } from '../../access/users.ts'
import { POLICY } from '../../acts/policies.ts'
import { writeDueRows } from '../../operator/finding/rows.ts'
import { readAuditChain } from '../../storage/audit/log.ts'
import { findOperatorByKey } from '../../storage/audit/operators.ts'
import { inTransaction } from '../../storage/db.ts'
import { listPaymentOperations } from '../../storage/payments/operations.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import {
  type Desk,
  hiddenIn,
  openAs,
  openBrowser,
  startDesk,
  type TestBrowser,
} from '../../testing/console.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { openTwoWorlds } from '../../testing/scene/live.ts'
import { closeAfter } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

type Role = 'administrator' | 'operator' | 'shop' | 'cashier' | 'viewer'
const ROLES: Role[] = ['administrator', 'operator', 'shop', 'cashier', 'viewer']
const PAGE_BYTES_MAX = 60 * 1024

let kassa: Kassa
let desk: Desk
let shop: Shop
let other: Shop
const browsers = {} as Record<Role, TestBrowser>
const ids = {} as Record<Role, string>
beforeAll(async () => {
  kassa = await startKassa()
  desk = await startDesk(kassa.worlds)
  shop = await openShop(kassa.ctx)
  other = await openShop(kassa.ctx)
  for (const role of ROLES) {
    const merchantId = role === 'administrator' || role === 'operator' ? null : shop.merchantId
    const refundLimits = role === 'shop' ? { USD: 1_000 } : null
    const values = { role, email: `${role}@shop.example`, merchantId, refundLimits }
    ;({ browser: browsers[role], id: ids[role] } = await openAs(kassa.ctx, desk, values))
  }
})
afterAll(async () => {
  await desk.close()
  await kassa.close()
})

let orders = 0
async function pay(outcome = 'paid', more: Record<string, unknown> = {}, of = shop): Promise<string> {
  const key = `desk-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, amountMinor: 1900, ...more })
  const { body: session } = await createSession(kassa.url, of, { key, body })
  await payAtBank(session.providerCheckoutUrl, outcome)
  return session.id
}
const at = (id: string) => `/sandbox/payments/${id}`
const operations = (id: string) => listPaymentOperations(kassa.ctx.db, shop.merchantId, id)
const stored = (id: string) => findPaymentById(kassa.ctx.db, id)
const work = () => SWEEPS.moneyOperations(kassa.ctx)
describe('who sees what', () => {
  test('each role gets the pages of its acts, and is told who may do the rest', async () => {
    const id = await pay()
    const pages = {
      '/sandbox/today': POLICY['payment list'].roles,
      '/sandbox/payments': POLICY['payment list'].roles,
      [at(id)]: POLICY['payment show'].roles,
      [`${at(id)}/refund`]: POLICY['payment refund'].roles,
    }
    for (const [path, roles] of Object.entries(pages))
      for (const role of ROLES) {
        const { status, text } = await browsers[role].get(path)
        const isAllowed = (roles as readonly Role[]).includes(role)
        expect([role, path, status]).toEqual([role, path, isAllowed ? 200 : 403])
        if (!isAllowed) expect(text).toContain('shop, operator, administrator')
        expect(brotliCompressSync(text).length).toBeLessThan(PAGE_BYTES_MAX)
      }
    for (const role of ['cashier', 'viewer'] as const) {
      expect((await browsers[role].get(at(id))).text).not.toContain(`${at(id)}/refund`)
      const form = { seen: '0', amount: '1.00', why: 'x', confirm: 'yes' }
      expect((await browsers[role].post(`${at(id)}/refund`, form)).status).toBe(403)
    }
    expect(await operations(id)).toEqual([])
  })

  test('a payment of another shop answers as one that does not exist, at every address', async () => {
    const foreign = await pay('paid', {}, other)
    const unknown = foreign.replace(/.{6}$/, '000000')
    const blank = (text: string) => text.replaceAll(foreign, 'ID').replaceAll(unknown, 'ID')
    for (const role of ['shop', 'cashier', 'viewer'] as const)
      for (const end of ['', '/refund']) {
        const [one, none] = [
          await browsers[role].get(at(foreign) + end),
          await browsers[role].get(at(unknown) + end),
        ]
        expect([one.status, blank(one.text)]).toEqual([none.status, blank(none.text)])
        expect(one.status).not.toBe(200)
      }
    const form = { seen: '0', amount: '1.00', why: 'x', confirm: 'yes' }
    const posted = await browsers.shop.post(`${at(foreign)}/refund`, form)
    expect([posted.status, blank(posted.text)]).toEqual(
      await browsers.shop
        .post(`${at(unknown)}/refund`, form)
        .then(({ status, text }) => [status, blank(text)]),
    )
    await writeDueRows(kassa.ctx)
    for (const path of [
      '/sandbox/today',
      '/sandbox/payments?day=all',
      `/sandbox/payments?q=${foreign}`,
      '/sandbox/payments?q=19.00',
    ])
      expect((await browsers.shop.get(path)).text).not.toContain(`href="${at(foreign)}`)
    expect((await browsers.operator.get(at(foreign))).status).toBe(200)
    expect((await browsers.operator.get('/sandbox/payments?day=all')).text).toContain(foreign)
  })

  test('a world that is not served does not exist, and the band says which money it is', async () => {
    expect((await browsers.operator.get('/live/today')).status).toBe(404)
    expect((await browsers.operator.get('/constructor/today')).status).toBe(404)
    const { text } = await browsers.operator.get('/sandbox/today')
    expect(text).toContain('<p class="world sandbox" data-testid="world"><strong>Test money</strong>')
    expect((await browsers.operator.get('/')).location).toBe('/sandbox/today')
  })
})

describe('finding', () => {
  test('today counts by status, and each number opens its list', async () => {
    const declined = await pay('declined')
    const status = (await stored(declined))?.status
    const { text } = await browsers.shop.get('/sandbox/today')
    const number = new RegExp(`href="([^"]*status=${status})" class="number"><strong>(\\d+)<`)
    const [, link = '', count = ''] = number.exec(text) ?? []
    const listed = (await browsers.shop.get(link.replaceAll('&amp;', '&'))).text
    expect([...listed.matchAll(/class="row"/g)]).toHaveLength(Number(count))
    expect(listed).toContain(at(declined))
  })

  test('one field finds by number, order and sum, and what a buyer wrote is only text', async () => {
    const name = '<script>alert(1)</script>'
    const id = await pay('paid', { customer: { name, email: 'buyer@shop.example' } })
    await writeDueRows(kassa.ctx)
    for (const q of [id, id.slice(-8), `desk-${orders}`, 'buyer@shop.example']) {
      const { text } = await browsers.cashier.get(`/sandbox/payments?${new URLSearchParams({ q })}`)
      expect([q, text.includes(at(id))]).toEqual([q, true])
      expect(text).not.toContain('<script>alert')
    }
    expect((await browsers.shop.get(at(id))).text).not.toContain('<script>alert')
    for (const query of [
      'day=nothing',
      'status=nothing',
      'after=nothing',
      'q=%00',
      `q=${'x'.repeat(500)}`,
      'q[]=1',
    ])
      expect((await browsers.shop.get(`/sandbox/payments?${query}`)).status).toBe(200)
  })

  test('the sentence says what became of the money, and a cashier sees no other day', async () => {
    const id = await pay()
    expect((await browsers.cashier.get(at(id))).text).toMatch(/class="sentence">\$19\.00 was paid on/)
    kassa.clock.advance(86_400_000)
    await SWEEPS.searchRows(kassa.ctx)
    expect((await browsers.cashier.get('/sandbox/payments?day=all')).text).not.toContain(at(id))
    expect((await browsers.shop.get('/sandbox/payments?day=all')).text).toContain(at(id))
    expect((await browsers.cashier.get(`/sandbox/payments?q=${id}`)).text).toContain(at(id))
    for (const q of ['yesterday', 'вчера', new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)]) {
      const { text } = await browsers.cashier.get(`/sandbox/payments?${new URLSearchParams({ q })}`)
      expect([q, text.includes('class="row"'), text.includes('class="advice"')]).toEqual([q, false, true])
      expect(
        (await browsers.cashier.get(`/sandbox/counter?${new URLSearchParams({ q })}`)).text,
      ).not.toContain('class="row"')
    }
    const words = new URLSearchParams({ q: `yesterday ${id}` })
    expect((await browsers.cashier.get(`/sandbox/payments?${words}`)).text).toContain(at(id))
    // The same words list the payments of that day for whoever may see them.
    expect((await browsers.shop.get('/sandbox/payments?q=yesterday')).text).toContain(at(id))
  })

  test('a cashier finds an order of another day whose number is a date, and no other payment by it', async () => {
    const id = await pay()
    const order = '05-11-2026'
    const dated = await pay('paid', { merchantOrderId: order })
    kassa.clock.advance(86_400_000)
    await SWEEPS.searchRows(kassa.ctx)
    const q = new URLSearchParams({ q: order })
    const { text: ofOrder } = await browsers.cashier.get(`/sandbox/payments?${q}`)
    expect([
      ofOrder.includes(at(dated)),
      ofOrder.includes(at(id)),
      ofOrder.includes('class="advice"'),
    ]).toEqual([true, false, false])
    expect((await browsers.cashier.get(`/sandbox/counter?${q}`)).location).toBe(`/sandbox/counter/${dated}`)
  })
})

describe('giving money back', () => {
  const refund = (role: Role, id: string, form: Record<string, string>) =>
    browsers[role].post(`${at(id)}/refund`, form)
  const seen = async (role: Role, id: string) => hiddenIn((await browsers[role].get(`${at(id)}/refund`)).text)

  test('is tried out first, done by the second form, and in the log with the name', async () => {
    const id = await pay()
    const tried = await refund('shop', id, { ...(await seen('shop', id)), amount: '4,50', why: 'broken' })
    expect([tried.status, await operations(id)]).toEqual([200, []])
    expect(tried.text).toContain('$4.50 of payment')
    const sure = hiddenIn(tried.text)
    expect(sure).toMatchObject({ amount: '4,50', why: 'broken', confirm: 'yes' })
    // Two at once, and once more: one refund.
    const done = await Promise.all([refund('shop', id, sure), refund('shop', id, sure)])
    expect(done.map(({ location }) => location)).toContain(`${at(id)}?done=refund`)
    expect((await refund('shop', id, sure)).status).toBe(422)
    await work()
    expect(await stored(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 450 })
    expect(await operations(id)).toHaveLength(1)
    const [made] = await operations(id)
    const all = await readAuditChain(kassa.ctx.db, 0, 1_000)
    const rows = all.filter(({ about }) => about.includes(made?.id ?? 'none'))
    expect(rows.map(({ who, what, origin }) => [who, what, origin.split(' ')[0]])).toContainEqual([
      'A shop',
      'payment refund',
      'console',
    ])
  })

  test('ends at the limit of the person, in several parts too, and by two at once', async () => {
    const id = await pay()
    const first = await seen('shop', id)
    expect((await refund('shop', id, { ...first, amount: '10.01', why: 'x', confirm: 'yes' })).status).toBe(
      422,
    )
    const both = await Promise.all(
      ['6.00', '6.00', '5.00'].map((amount) =>
        refund('shop', id, { ...first, amount, why: 'x', confirm: 'yes' }),
      ),
    )
    expect(both.filter(({ status }) => status === 303).length).toBeGreaterThanOrEqual(1)
    expect(await operations(id)).toHaveLength(1)
    const [made] = await operations(id)
    const left = 1_000 - (made?.amountMinor ?? 0)
    const more = ((left + 1) / 100).toFixed(2)
    expect(
      (await refund('shop', id, { ...(await seen('shop', id)), amount: more, why: 'x', confirm: 'yes' }))
        .status,
    ).toBe(422)
    await work()
    expect(
      (
        await refund('operator', id, {
          ...(await seen('operator', id)),
          amount: '9.00',
          why: 'x',
          confirm: 'yes',
        })
      ).status,
    ).toBe(303)
    const dram = await pay('paid', { currency: 'AMD', amountMinor: 190_000 })
    expect((await refund('shop', dram, { seen: '0', amount: '1', why: 'x', confirm: 'yes' })).status).toBe(
      422,
    )
    expect(await operations(dram)).toEqual([])
  })

  test('refuses wrong forms in words, and moves nothing', async () => {
    const id = await pay()
    const base = { ...(await seen('operator', id)), amount: '1.00', why: 'broken', confirm: 'yes' }
    for (const wrong of [
      { amount: '0' },
      { amount: '-1' },
      { amount: '1e3' },
      { amount: '19.01' },
      { amount: '' },
      { why: '' },
      { why: 'x'.repeat(241) },
      { why: 'card 4111 1111 1111 1111' },
      { seen: '7' },
      { seen: '' },
    ]) {
      const { status, text } = await refund('operator', id, { ...base, ...wrong })
      expect([wrong, status]).toEqual([wrong, 422])
      expect(text).toContain('role="alert"')
    }
    expect(await operations(id)).toEqual([])
  })
})

test('a shop and a cashier have no key for the command line', async () => {
  expect(await findOperatorByKey(kassa.ctx.db, Buffer.alloc(32))).toBeNull()
  const { rows } = await kassa.ctx.db.query(
    'select role from kassa.operators where key_digest is null order by role',
  )
  expect(rows.map(({ role }) => role)).toEqual(['cashier', 'shop', 'viewer'])
})

test('beside a live world each world has its band, and a payment is found only in its own', async () => {
  const { kassa: both, liveShop } = await openTwoWorlds()
  const own = closeAfter(await startDesk(both.worlds))
  const { operator } = await addUser(both.live, {
    name: 'Ani',
    role: 'administrator',
    email: 'ani@pay.example',
  })
  const secret = await inTransaction(both.live.db, (tx) => openSession(tx, operator.id, '127.0.0.1'))
  const browser = openBrowser(own)
  browser.cookies.set('kassa_console_session', secret)
  expect((await browser.get('/')).location).toBe('/live/today')
  const { text } = await browser.get('/live/today')
  expect(text).toContain('class="world live" data-testid="world"><strong>Real money</strong>')
  expect(text).toContain('href="/sandbox/today"')
  const { body } = await createSession(both.url, liveShop, { key: 'live-desk' })
  expect((await browser.get(`/live/payments/${body.id}`)).status).toBe(200)
  expect((await browser.get(`/sandbox/payments/${body.id}`)).status).toBe(404)
})
