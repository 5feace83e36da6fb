/** One link that is paid a day later and returned the day after: every face shows the money of a day on the same day. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayOf, momentOf } from '../contract/time-zone.ts'
import { setBranding } from '../merchants/branding.ts'
import { createLink, linkRequest, payAtBank } from '../testing/calls.ts'
import { openAs, type TestBrowser } from '../testing/console.ts'
import { openShop, type Shop } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'
import { openConsole } from '../testing/scene/console.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { moneyOfLastDays, moneyOfToday } from './money-days.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const { kassa, desk, signIn } = await openConsole()
const folder = await mkdtemp(join(tmpdir(), 'kassa-days-'))
/** Sees all shops. */
let root = await signIn('administrator')
afterAll(async () => {
  await rm(folder, { recursive: true })
})

async function run(...args: string[]) {
  const { code, stdout, stderr } = await operateHere(async () => kassa.ctx, [...args, '--json'])
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

/** Moves the clock to `minutes` after the midnight that begins the day `days` from now in the zone. */
function goTo(zone: string, days: number, minutes: number): void {
  const now = kassa.ctx.clock.now()
  const at = momentOf(dayOf(now, zone) + days * DAY_MS, zone).getTime() + minutes * MINUTE_MS
  kassa.clock.advance(at - now.getTime())
}
const dayNow = (zone: string, days = 0) =>
  new Date(dayOf(kassa.ctx.clock.now(), zone) + days * DAY_MS).toISOString().slice(0, 10)

let files = 0
/** The sum of a file, in minor units. */
async function exported(...args: string[]): Promise<number> {
  const to = join(folder, `${++files}.csv`)
  await run('payment', 'export', '--to', to, ...args)
  return sumOf(await readFile(to, 'utf8'))
}
const sumOf = (csv: string) =>
  parse<Record<string, string>>(csv, { columns: true, bom: true }).reduce(
    (sum, { amount }) => sum + Math.round(Number(amount) * 100),
    0,
  )
const moneyOnPage = (text: string): string[] =>
  [...text.matchAll(/data-money="(\w+)".*?class="sum">([^<]*)</gs)].map(([, name, sum]) => `${name} ${sum}`)
const countsOnPage = (text: string): string[] =>
  [...text.matchAll(/day=today&amp;status=(\w+)" class="number">\s*<strong>(\d+)/g)].map(
    ([, status, count]) => `${status} ${count}`,
  )
const listed = (text: string) => [...text.matchAll(/payments\/(pay_\w+)" class="row"/g)].map(([, id]) => id)

/** `now`: a day before the payment is made, so that the buyer pays just after the midnight at which clocks change. */
const ZONES: { zone: string; now?: string; isLong?: true }[] = [
  { zone: 'Asia/Yerevan' },
  { zone: 'America/New_York' },
  { zone: 'Pacific/Auckland', isLong: true },
  { zone: 'Africa/Cairo', now: '2027-04-28T12:00:00Z' },
  { zone: 'Atlantic/Azores', now: '2027-10-29T12:00:00Z', isLong: true },
]
for (const { zone, now, isLong } of ZONES)
  describe(`in ${zone}`, { tags: isLong ? ['long'] : [] }, () => testZone(zone, now))

function testZone(zone: string, now: string | undefined): void {
  let shop: Shop
  let browser: TestBrowser
  let cashier: TestBrowser
  let id: string
  const days: Record<string, { today: string[]; ofAll: string[]; day: string }> = {}
  beforeAll(async () => {
    if (now) kassa.clock.advance(Date.parse(now) - kassa.ctx.clock.now().getTime())
    shop = await openShop(kassa.ctx)
    const { merchantId } = shop
    await setBranding(kassa.ctx, merchantId, { timeZone: zone })
    const email = (role: string) => `${role}@${merchantId.replaceAll('_', '-')}.example`
    // Nobody stays signed in for months.
    ;({ browser: root } = await openAs(kassa.ctx, desk, {
      role: 'administrator',
      name: `Administrator ${zone}`,
      email: email('root'),
    }))
    ;({ browser } = await openAs(kassa.ctx, desk, {
      role: 'shop',
      name: `Shop ${zone}`,
      email: email('shop'),
      merchantId,
    }))
    ;({ browser: cashier } = await openAs(kassa.ctx, desk, {
      role: 'cashier',
      name: `Cashier ${zone}`,
      email: email('cashier'),
      merchantId,
    }))

    goTo(zone, 1, 23 * 60 + 50)
    const expiresAt = new Date(kassa.ctx.clock.now().getTime() + 20 * DAY_MS).toISOString()
    const body = linkRequest({ amount: '45.00', expiresAt })
    const link = await createLink(kassa.url, shop, { key: `days-${zone}`, body })
    id = link.body.paymentId
    await note('created')

    goTo(zone, 1, 5)
    await payAtBank(`${kassa.url}/checkout/${id}/continue`, 'paid')
    await note('paid')

    goTo(zone, 1, 23 * 60 + 58)
    const why = ['--amount', '5.00', '--why', 'broken']
    await run('payment', 'refund', '--payment', id, ...why)
    await SWEEPS.moneyOperations(kassa.ctx)
    await note('returned')
  })

  /** What the console says on this day, at this time. */
  async function note(name: string): Promise<void> {
    const { text } = await browser.get('/sandbox/today')
    const { text: ofAll } = await root.get('/sandbox/today')
    days[name] = { today: moneyOnPage(text), ofAll: moneyOnPage(ofAll), day: dayNow(zone) }
    if (name === 'created') expect(countsOnPage(ofAll)).toEqual(countsOnPage(text))
    const file = await browser.get('/sandbox/payments.csv?day=today&of=moved')
    const sums = await moneyOfToday(kassa.ctx, shop.merchantId)
    const kept = sums.reduce((sum, { taken, givenBack, lost }) => sum + taken - givenBack - lost, 0n)
    expect([name, BigInt(sumOf(file.text))]).toEqual([name, kept])
    const answer = await cashier.get('/sandbox/counter?q=45.00')
    expect([name, answer.status, answer.location]).toEqual([name, 303, `/sandbox/counter/${id}`])
  }

  test('the money is taken on the day on which the buyer paid, and returned on the next', () => {
    expect(Object.values(days).map(({ today }) => today)).toEqual([
      [],
      ['taken $45.00', 'givenBack $0.00', 'left $45.00'],
      ['taken $0.00', 'givenBack $5.00', 'left -$5.00'],
    ])
  })

  test('on the next day the money stands beside it as that of yesterday, and a cashier sees no other day', async () => {
    const { text } = await browser.get('/sandbox/today')
    expect(text).toMatch(/data-money="left".*?-\$5\.00<.*?Yesterday \$45\.00\./s)
    const trend = [...text.matchAll(/<th scope="row">[^<]*<\/th><td>([^<]*)/g)].map(([, sum]) => sum)
    expect(trend).toEqual(['-$5.00', '$45.00', ...Array(12).fill('$0.00')])
    const other = (await cashier.get('/sandbox/today')).text
    expect(moneyOnPage(other)).toEqual(days.returned?.today)
    expect(other).not.toMatch(/Yesterday|class="trend"/)
  })

  test.each([
    ['created', 0],
    ['paid', 4500],
    ['returned', -500],
  ])('export, totals and Today have the same sum for the day on which it was %s', async (name, kept) => {
    const { day = '' } = days[name] ?? {}
    const next = new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10)
    const merchant = ['--merchant', shop.merchantId]
    const { totals } = await run(
      'report',
      'totals',
      '--by',
      'day',
      '--since',
      day,
      '--until',
      day,
      ...merchant,
    )
    const sum = totals.reduce(
      (kept: number, each: Record<string, number>) =>
        kept + (each.takenMinor ?? 0) - (each.givenBackMinor ?? 0) - (each.lostMinor ?? 0),
      0,
    )
    const range = ['--since', day, '--until', next]
    expect([sum, await exported(...range, ...merchant), await exported(...range)]).toEqual([kept, kept, kept])
    const moved = await run('payment', 'list', ...range, ...merchant, '--by', 'moved')
    expect(moved.payments.map((each: { id: string }) => each.id)).toEqual(kept === 0 ? [] : [id])
    const ofAll = await run('payment', 'list', ...range, '--by', 'moved')
    expect(ofAll.payments).toEqual(moved.payments)
    for (const who of [browser, root]) {
      const page = await who.get(`/sandbox/payments?from=${day}&until=${day}&of=moved`)
      expect(listed(page.text)).toEqual(kept === 0 ? [] : [id])
    }
  })

  test('who sees all shops reads the same of each day, and the payment in its shop’s zone', async () => {
    for (const path of [`payments/${id}`, `counter/${id}`]) {
      const { text } = await root.get(`/sandbox/${path}`)
      expect(text).toMatch(new RegExp(`data-testid="zone">[^<]*${zone}`))
    }
    for (const { ofAll, today } of Object.values(days)) expect(ofAll).toEqual(today)
  })

  test('a list by creation has the payment on the day on which it was made', async () => {
    const { day = '' } = days.created ?? {}
    const next = new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10)
    const range = ['--since', day, '--until', next, '--merchant', shop.merchantId]
    const { payments } = await run('payment', 'list', ...range)
    expect(payments.map((each: { id: string }) => each.id)).toEqual([id])
    expect(await exported(...range, '--by', 'created')).toBe(4000)
    const everybody = range.slice(0, -2)
    expect((await run('payment', 'list', ...everybody)).payments).toEqual(payments)
    expect(await exported(...everybody, '--by', 'created')).toBe(4000)
    for (const who of [browser, root]) {
      const page = await who.get(`/sandbox/payments?from=${day}&until=${day}`)
      expect(listed(page.text)).toEqual([id])
    }
    await SWEEPS.searchRows(kassa.ctx)
    const found = await run('payment', 'find', '45', 'dollars', day)
    expect(found.payments.map((each: { id: string }) => each.id)).toEqual([id])
    const other = await run('payment', 'find', '45', 'dollars', next)
    expect(other.payments).toEqual([])
  })
}

test('a page of shops in several time zones says whose days they are, and names no zone for all', async () => {
  for (const path of ['payments', 'today', 'totals']) {
    const { text } = await root.get(`/sandbox/${path}`)
    expect([path, text.includes('Each shop has the days of its own time zone.')]).toEqual([path, true])
    expect([path, text.includes('data-testid="zone"')]).toEqual([path, false])
  }
})

test('a time of the provider that is still to come counts as ours, and one that is over counts', async () => {
  const shop = await openShop(kassa.ctx)
  const body = linkRequest({ amount: '10.00' })
  const link = await createLink(kassa.url, shop, { key: 'moments', body })
  await payAtBank(`${kassa.url}/checkout/${link.body.paymentId}/continue`, 'paid')
  const now = kassa.ctx.clock.now()
  for (const [movedAt, expected] of [
    [new Date(now.getTime() + 3 * DAY_MS), [1000n]],
    [new Date(now.getTime() - 3 * DAY_MS), []],
  ] as const) {
    await kassa.ctx.db.query('alter table sandbox.entries disable trigger user')
    await kassa.ctx.db.query('update sandbox.entries set moved_at = $2 where payment_id = $1', [
      link.body.paymentId,
      movedAt,
    ])
    await kassa.ctx.db.query('alter table sandbox.entries enable trigger user')
    expect((await moneyOfToday(kassa.ctx, shop.merchantId)).map(({ taken }) => taken)).toEqual(expected)
  }
})

test('a shop with too many movements gets no part of a sum', async () => {
  const shop = await openShop(kassa.ctx)
  const { merchantId } = shop
  for (const key of ['one', 'two']) {
    const { body } = await createLink(kassa.url, shop, {
      key: `many-${key}`,
      body: linkRequest({ amount: '10.00' }),
    })
    await payAtBank(`${kassa.url}/checkout/${body.paymentId}/continue`, 'paid')
  }
  const own = { merchantId, timeZone: 'Asia/Yerevan' }
  const whole = await moneyOfLastDays(kassa.ctx, own, 14)
  expect(whole?.sums.map(({ taken }) => taken)).toEqual([2000n])
  expect(await moneyOfLastDays(kassa.ctx, own, 14, { most: 2 })).toBeNull()
})
