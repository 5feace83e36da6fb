/** What people say about a payment, and at which place of the result it is. */
import { beforeAll, describe, expect, test } from 'vitest'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { openShop } from '../../testing/harness.ts'
import { operateHere, operateJson } from '../../testing/operator.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { takeDay } from './day.ts'
import { findPayments } from './find.ts'
import { fold } from './fold.ts'

const ZONE = 'Asia/Yerevan'
const LIMIT = 20

const { kassa, shop } = await openScene()
const ids: Record<string, string> = {}
let orders = 0
beforeAll(async () => {
  // A Tuesday in Yerevan.
  kassa.clock.advance(Date.parse('2027-08-03T08:00:00Z') - kassa.clock.now().getTime())
  await pay('tuesday', { amountMinor: 4500, merchantOrderId: 'SHOP-1042' })
  await pay('maria', {
    amountMinor: 123_456,
    merchantOrderId: 'INV/2027-000377',
    customer: { email: 'maria.petrosyan@mail.example', phone: '+374 99 123456', name: 'Мария Петросян' },
  })
  kassa.clock.advance(24 * 3_600_000)
  await pay('ani', {
    amountMinor: 4500,
    merchantOrderId: 'tea-99',
    customer: { email: 'ani_k@shop.example', phone: '055 77-88-99', name: 'Անի Կարապետյան' },
  })
  await pay('manual', { amountMinor: 700_00, merchantOrderId: 'rent august', provider: 'manual' })
  await run('payment', 'confirm', '--payment', ids.manual ?? '', '--reference', 'RF18 5390 0754 7034')
  await pay('short', { merchantOrderId: 'p_o', amountMinor: 4321 })
  for (let index = 0; index < 40; index++) await pay(`other-${index}`, { amountMinor: 1000 + index * 7 })
  await SWEEPS.searchRows(kassa.ctx)
})

const run = async (...args: string[]) =>
  (await operateJson({}, args, (_settings, words) => operateHere(async () => kassa.ctx, words))).answer

async function pay(name: string, changes: object): Promise<void> {
  const key = `find-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, provider: 'route_a', ...changes })
  const { body: session } = await createSession(kassa.url, shop, { key, body })
  ids[name] = session.id
  if (session.providerCheckoutUrl) await payAtBank(session.providerCheckoutUrl, 'paid')
}
async function placeOf(query: string, name: string): Promise<number> {
  const { found } = await findPayments(kassa.ctx, query, { zones: [ZONE], limit: LIMIT })
  return found.findIndex(({ payment }) => payment.id === ids[name]) + 1
}
const spoken = (name: string) => {
  const end = (ids[name] ?? '').slice(-8).toUpperCase()
  return `${end.slice(0, 4)} ${end.slice(4)}`
}
/** The same number in letters of another alphabet that look alike. */
const inCyrillic = (text: string) =>
  [...text]
    .map(
      (letter) =>
        ({ A: 'А', B: 'В', C: 'С', E: 'Е', H: 'Н', K: 'К', M: 'М', P: 'Р', T: 'Т', X: 'Х', Y: 'У' })[
          letter
        ] ?? letter,
    )
    .join('')
const rrnOf = async (name: string) => {
  const payment = await findPaymentById(kassa.ctx.db, ids[name] ?? '')
  return (payment?.attempt.facts as { rrn?: string } | null)?.rrn ?? payment?.attempt.reference ?? ''
}

/** What was said, whose payment it is, and at which place it is at the latest. */
const QUERIES: [query: string | (() => string | Promise<string>), name: string, place: number][] = [
  [() => spoken('maria'), 'maria', 1],
  [() => spoken('maria').toLowerCase().replace(' ', ''), 'maria', 1],
  [() => spoken('ani').replaceAll('0', 'O').replaceAll('1', 'l'), 'ani', 1],
  [() => inCyrillic(spoken('tuesday')), 'tuesday', 1],
  [() => `number ${spoken('ani').replace(' ', '-')}`, 'ani', 1],
  [() => spoken('maria').split(' ')[0] ?? '', 'maria', 1],
  [() => ids.ani ?? '', 'ani', 1],
  [() => `https://pay.example/link/${ids.ani?.replace('pay_', 'lnk_')}`, 'ani', 1],
  ['SHOP-1042', 'tuesday', 1],
  ['shop 1042', 'tuesday', 1],
  ['order 1042', 'tuesday', 1],
  ['заказ ЅНОР-1042', 'tuesday', 1],
  ['invoice 377', 'maria', 1],
  ['INV 2027 377', 'maria', 1],
  ['tea99', 'ani', 1],
  ['45 dollars on Tuesday', 'tuesday', 1],
  ['$45 yesterday', 'tuesday', 1],
  ['45,00 usd 3 August', 'tuesday', 1],
  ['45 долларов во вторник', 'tuesday', 1],
  ['45 դոլար 03.08.2027', 'tuesday', 1],
  ['1,234.56', 'maria', 1],
  ['1 234,56 $', 'maria', 1],
  ['45 dollars', 'ani', 2],
  ['maria.petrosyan@mail.example', 'maria', 1],
  ['maria.petr', 'maria', 1],
  ['petrosyan@', 'maria', 1],
  ['@mail.example', 'maria', 1],
  ['Петросян', 'maria', 1],
  ['Կարապետյան', 'ani', 1],
  ['+374 99 123 456', 'maria', 1],
  ['099 123456', 'maria', 1],
  ['phone ending 3456', 'maria', 1],
  ['055778899', 'ani', 1],
  ['rf18 5390 0754', 'manual', 1],
  ['RF185390 07547034', 'manual', 1],
  ['700 dollars rent', 'manual', 1],
  [() => rrnOf('maria'), 'maria', 1],
  [async () => (await rrnOf('ani')).replaceAll(/(.{4})/g, '$1 '), 'ani', 1],
  ['card 4242 45 dollars Tuesday', 'tuesday', 1],
  ['p_o', 'short', 1],
  ['order P O', 'short', 1],
]

test.each(QUERIES)('%s finds %s at place %i or before', async (query, name, place) => {
  const text = typeof query === 'string' ? query : await query()
  const at = await placeOf(text, name)
  expect(at, text).toBeGreaterThan(0)
  expect(at, text).toBeLessThanOrEqual(place)
})

test('only the merchant whose payments are asked for', async () => {
  const other = await openShop(kassa.ctx)
  const of = async (merchantId: string, query = 'SHOP-1042') =>
    (await findPayments(kassa.ctx, query, { merchantId, zones: [ZONE], limit: LIMIT })).found
  expect(await of(other.merchantId)).toEqual([])
  expect(await of(shop.merchantId)).toHaveLength(1)
  expect(await of(other.merchantId, ids.ani)).toEqual([])
})

test('what nobody can mean finds nothing and breaks nothing', async () => {
  for (const query of [
    '',
    "'",
    "a' | 'b",
    '\\',
    '!!! & |',
    ':*',
    'ü',
    '%',
    '0'.repeat(400),
    'zzzzzzzz qqqqqq',
    '@',
  ])
    expect(await findPayments(kassa.ctx, query, { zones: [ZONE], limit: LIMIT }), query).toEqual({
      found: [],
      isAll: true,
    })
})

describe('the rows', () => {
  const rows = async () => {
    const { rows } = await kassa.ctx.db.query(
      'select payment_id, version, words::text from sandbox.payment_search order by 1',
    )
    return rows
  }
  const rowOf = async (name: string) => (await rows()).find(({ payment_id }) => payment_id === ids[name])

  test('are written for every payment that a buyer has reached', async () => {
    expect(await rows()).toHaveLength(Object.keys(ids).length)
    expect((await rowOf('tuesday'))?.version).toBe(
      (await findPaymentById(kassa.ctx.db, ids.tuesday ?? ''))?.version,
    )
  })

  test('of a payment that no buyer has reached wait for an hour, and it is found meanwhile', async () => {
    const body = sessionRequest({ merchantOrderId: 'unreached-5', provider: 'route_a' })
    const { body: session } = await createSession(kassa.url, shop, { key: 'unreached', body })
    ids.unreached = session.id
    await SWEEPS.searchRows(kassa.ctx)
    expect(await rowOf('unreached')).toBeUndefined()
    expect(await placeOf('unreached 5', 'unreached')).toBe(1)
    kassa.clock.advance(3_600_001)
    await SWEEPS.searchRows(kassa.ctx)
    expect(await rowOf('unreached')).toBeDefined()
    expect(await placeOf('unreached 5', 'unreached')).toBe(1)
  })

  test('follow each change, and a change that commits late', async () => {
    const before = (await rowOf('ani'))?.version
    await run('payment', 'refund', '--payment', ids.ani ?? '', '--amount', '1.00', '--why', 'broken')
    await SWEEPS.moneyOperations(kassa.ctx)
    // Another change was read before this one was committed.
    await kassa.ctx.db.query(
      `update sandbox.search_positions set position = 'evt_test_z' where name = 'fresh'`,
    )
    await SWEEPS.searchRows(kassa.ctx)
    expect((await rowOf('ani'))?.version).toBe(before)
    kassa.clock.advance(121_000)
    await SWEEPS.searchRows(kassa.ctx)
    expect((await rowOf('ani'))?.version).toBe(before + 1)
    await kassa.ctx.db.query(`update sandbox.search_positions set position = '' where name = 'fresh'`)
  })

  test('are the same when they are made anew, by several workers at once too', async () => {
    const written = await rows()
    await kassa.ctx.db.query('delete from sandbox.payment_search')
    expect((await run('payment', 'index')).written).toBe(written.length)
    expect(await rows()).toEqual(written)
    await kassa.ctx.db.query('delete from sandbox.payment_search')
    await kassa.ctx.db.query(`update sandbox.search_positions set position = ''`)
    await Promise.all([1, 2, 3].map(() => SWEEPS.searchRows(kassa.ctx)))
    kassa.clock.advance(3_600_001)
    await SWEEPS.searchRows(kassa.ctx)
    expect(await rows()).toEqual(written)
  })
})

test.each([
  ['today', '2027-03-28', '2027-03-27T23:00:00Z', 23],
  ['yesterday', '2027-03-28', '2027-03-26T23:00:00Z', 24],
  ['2 August', '2027-03-28', '2026-08-01T22:00:00Z', 24],
  ['August 2', '2027-08-05', '2027-08-01T22:00:00Z', 24],
  ['31.10.2027', '2027-12-01', '2027-10-30T22:00:00Z', 25],
  ['2027-01-05', '2027-12-01', '2027-01-04T23:00:00Z', 24],
  ['January 5, 2025', '2027-12-01', '2025-01-04T23:00:00Z', 24],
  ['2027/01/05', '2027-12-01', '2027-01-04T23:00:00Z', 24],
  ['05-01-2027', '2027-12-01', '2027-01-04T23:00:00Z', 24],
  ['в пятницу', '2027-08-05', '2027-07-29T22:00:00Z', 24],
  ['երեքշաբթի', '2027-08-05', '2027-08-02T22:00:00Z', 24],
  ['paid on 31.10.2027.', '2027-12-01', '2027-10-30T22:00:00Z', 25],
  ['31.10.2027г.', '2027-12-01', '2027-10-30T22:00:00Z', 25],
  ['(2027-01-05)', '2027-12-01', '2027-01-04T23:00:00Z', 24],
  ['2027-01-05T10:20:00Z', '2027-12-01', '2027-01-04T23:00:00Z', 24],
  ['nov 29 1000', '2027-12-01', '2027-11-28T23:00:00Z', 24],
  ['29 nov, 2031 usd', '2027-12-01', '2027-11-28T23:00:00Z', 24],
  ['29 nov 2028', '2027-12-01', '2028-11-28T23:00:00Z', 24],
])('%s, said on %s in Berlin, is the day from %s', (query, on, since, hours) => {
  const { days } = takeDay(query.toLowerCase(), new Date(`${on}T12:00:00Z`), 'Europe/Berlin')
  expect(days?.since.toISOString()).toBe(new Date(since).toISOString())
  expect(((days?.until.getTime() ?? 0) - (days?.since.getTime() ?? 0)) / 3_600_000).toBe(hours)
})

test.each([
  ['nov 29 1000', '1000'],
  ['29 nov, 1000', '1000'],
  ['nov 29 2027', ''],
])('of %s, "%s" is left beside the day', (query, left) => {
  const { rest } = takeDay(query, new Date('2027-12-01T12:00:00Z'), 'Europe/Berlin')
  expect(rest.replace(',', '').trim()).toBe(left)
})

test.each([
  '05-11-2026-17',
  'A05-11-2026',
  '2026/11/05-3',
  '05-11-2026',
  'R-2026-11-05-9',
  '12/05/2026/4',
  '2026-11-05',
  '05.11.2026',
  '05.11.2026.17',
])('an order whose number has a date is found by its number: %s', async (order) => {
  await pay(order, { merchantOrderId: order, amountMinor: 9_900 })
  // The first hour is over: payments are found by their rows.
  for (const hours of [0, 2]) {
    kassa.clock.advance(hours * 3_600_000)
    await SWEEPS.searchRows(kassa.ctx)
    expect([hours, await placeOf(order, order)]).toEqual([hours, 1])
  }
})

test('folding makes one of what looks alike', () => {
  expect(fold('МАРZ 2VЕК')).toBe(fold('mapz-2vek'))
  expect(fold('O1l i')).toBe('0111')
  expect(fold('Éclair')).toBe('ec1a1r')
  expect(fold('ՕՍ')).toBe(fold('0u'))
})

test.each([
  ['ani_k', 'ani'],
  ['ani k', 'ani'],
  ['maria.petrosyan', 'maria'],
  ['MARIA.PETROSYAN', 'maria'],
  ['shop.example', 'ani'],
  ['mail.example', 'maria'],
])('half of an e-mail address without its sign is found: %s', async (query, name) => {
  expect(await placeOf(query, name)).toBeGreaterThan(0)
})
