/** The list of payments: its filters and their tags, its file, and how today's numbers and new payments come. */
import { expect, test } from 'vitest'
import { setBranding } from '../../merchants/branding.ts'
import { countByStatus } from '../../operator/finding/counts.ts'
import { writeDueRows } from '../../operator/finding/rows.ts'
import { insertPaymentWarning } from '../../storage/payments/payment-warnings.ts'
import { createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { openAs } from '../../testing/console.ts'
import { openShop } from '../../testing/harness.ts'
import { openConsole } from '../../testing/scene/console.ts'

const DAY_MS = 86_400_000

const ids: Record<string, string> = {}
let orders = 0
const { kassa, desk, shop, signIn } = await openConsole()
const other = await openShop(kassa.ctx)
await signIn('administrator')
const browsers = {
  shop: await signIn('shop'),
  cashier: await signIn('cashier'),
  operator: await signIn('operator'),
}
await open('old', { amountMinor: 4_500, customer: { name: '=cmd|x' } }, 'paid')
const { merchantId } = shop
const warning = { detail: 'another sum', createdAt: kassa.clock.now() }
await insertPaymentWarning(kassa.ctx.db, { merchantId, paymentId: ids.old ?? '', ...warning })
kassa.clock.advance(2 * DAY_MS)
await open('paid', { amountMinor: 1_000 }, 'paid')
await open('dear', { amountMinor: 9_900, provider: 'route_b' }, 'paid')
await open('fresh', { amountMinor: 1_000 })
await open('foreign', { amountMinor: 7_700 }, 'paid', other)
await writeDueRows(kassa.ctx)

async function open(name: string, changes: object, outcome?: string, of = shop): Promise<void> {
  const key = `list-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, ...changes })
  const { body: session } = await createSession(kassa.url, of, { key, body })
  ids[name] = session.id
  if (outcome) await payAtBank(session.providerCheckoutUrl, outcome)
}

const LIST = '/sandbox/payments'
const plain = (text: string) =>
  text.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"')
/** The names of the payments in a list. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/payments\/(pay_\w+)" class="row"/g)].map(
    ([, id]) => Object.keys(ids).find((name) => ids[name] === id) ?? 'another',
  )
const tagsIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...plain(text).matchAll(/class="tag" href="([^"]+)"[^>]*>([^<]*) ×</g)].map(([, href, name]) => [
      name,
      href,
    ]),
  )
const get = async (query: Record<string, string>, role: keyof typeof browsers = 'shop') =>
  browsers[role].get(`${LIST}?${new URLSearchParams(query)}`)

test.each([
  [{ day: 'all', route: 'route_b' }, ['dear']],
  [{ day: 'all', warned: 'yes' }, ['old']],
  [{ min: '45' }, ['dear']],
  [{ day: 'all', min: '45,00' }, ['dear', 'old']],
  [{ day: 'all', min: '45.00', max: '60.00', status: 'paid' }, ['old']],
  [{ from: 'today' }, ['fresh', 'dear', 'paid']],
  [{ until: 'yesterday' }, ['old']],
  [{ from: 'yesterday', until: 'today', max: '10.00' }, ['fresh', 'paid']],
  [{ q: '10.00' }, ['fresh', 'paid']],
  [{ q: '10.00', status: 'paid' }, ['paid']],
  [{ q: '10.00', status: 'paid', min: '10.01' }, []],
  [{ q: '45.00', warned: 'yes', until: 'yesterday' }, ['old']],
  [{ q: '45.00', from: 'yesterday' }, []],
])('the list is cut by %o', async (query, expected) => {
  const { status, text } = await get(query as Record<string, string>)
  expect([status, namesIn(text).sort()]).toEqual([200, expected.toSorted()])
})

test('each filter is a tag, and one tap takes it alone away', async () => {
  const chosen = {
    from: '1 January',
    until: 'today',
    status: 'paid',
    min: '5',
    max: '99',
    route: 'route_b',
    warned: 'yes',
  }
  const tags = tagsIn((await get(chosen)).text)
  expect(Object.keys(tags)).toHaveLength(7)
  const without = Object.values(tags).map((href) =>
    Object.fromEntries(new URL(href, desk.origin).searchParams),
  )
  for (const name of Object.keys(chosen)) {
    const { [name]: _, ...rest } = chosen as Record<string, string>
    expect(without).toContainEqual(rest)
  }
  // The day is a filter too, also the one that nobody has chosen.
  const today = tagsIn((await get({ status: 'paid' })).text)
  expect(today).toEqual({ today: `${LIST}?status=paid&day=all`, paid: `${LIST}?day=today` })
  expect(namesIn((await browsers.shop.get(`${LIST}?day=all&status=paid`)).text)).toContain('old')
  expect(tagsIn((await get({ from: '1 January' })).text)).toEqual({
    [`from ${dayText(1)}`]: `${LIST}?day=all`,
  })
  expect(tagsIn((await get({ q: '10.00', status: 'paid' })).text)).toEqual({
    '10.00': `${LIST}?status=paid`,
    paid: `${LIST}?q=10.00`,
  })
})
const dayText = (day: number) => {
  const year = kassa.clock.now().getUTCFullYear()
  return new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).format(
    Date.UTC(year, 0, day),
  )
}

test.each([
  [{ from: 'some <day>' }, 'Write a day'],
  [{ until: '2 August or so' }, 'Write a day'],
  [{ from: 'today', until: 'yesterday' }, 'The first day is after the last one.'],
  [{ min: 'much' }, 'Write an amount'],
  [{ min: '-5' }, 'Write an amount'],
  [{ min: '9', max: '8' }, 'The smallest amount is above the largest one.'],
  [{ q: 'cup', max: '1e9' }, 'Write an amount'],
])('a wrong value is told, it stays in its field, and nothing is listed: %o', async (query, word) => {
  const { status, text } = await get(query as Record<string, string>)
  expect([status, namesIn(text)]).toEqual([422, []])
  expect(text).toMatch(new RegExp(`role="alert">[^<]*${word}`))
  for (const [name, value] of Object.entries(query))
    expect(plain(text).replaceAll('&lt;', '<').replaceAll('&gt;', '>')).toMatch(
      new RegExp(`name="${name}"[^>]*value="${value}"`),
    )
  const file = await browsers.shop.get(`${LIST}.csv?${new URLSearchParams(query as Record<string, string>)}`)
  expect([file.status, file.location?.split('?')[0]]).toEqual([303, LIST])
})

test('a cashier keeps to today, whatever the address says', async () => {
  const { text } = await get(
    { day: 'all', until: 'yesterday', route: 'route_b', min: 'much', warned: 'yes' },
    'cashier',
  )
  expect(namesIn(text)).toEqual(['fresh', 'dear', 'paid'])
  expect(text).not.toContain('.csv')
  expect((await browsers.cashier.get(`${LIST}.csv`)).status).toBe(403)
})

test('the same payments come as a file, with the zone in it and in its name, and no formula', async () => {
  const { text } = await get({ day: 'all', min: '45' })
  const [, href = ''] = /href="([^"]+\.csv[^"]*)"/.exec(text) ?? []
  const file = await browsers.shop.get(plain(href))
  expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(file.headers.get('content-disposition')).toMatch(
    /^attachment; filename="payments-sandbox-\d{4}-\d\d-\d\d-Asia-Yerevan\.csv"$/,
  )
  expect(file.headers.get('cache-control')).toContain('no-store')
  const lines = file.text.trimEnd().split('\r\n').slice(1)
  expect(lines.map((line) => [ids.dear, ids.old].findIndex((id) => line.includes(id ?? 'none')))).toEqual([
    0, 1,
  ])
  expect(lines.every((line) => line.includes('Asia/Yerevan'))).toBe(true)
  expect(lines[1]).toContain(`'=cmd|x`)
  expect((await browsers.shop.get(`${LIST}.csv?day=all`)).text).not.toContain(ids.foreign)
  expect((await browsers.operator.get(`${LIST}.csv?day=all`)).text).toContain(ids.foreign)
  await setBranding(kassa.ctx, shop.merchantId, { timeZone: 'America/New_York' })
  const moved = await browsers.shop.get(`${LIST}.csv?day=all`)
  expect(moved.headers.get('content-disposition')).toContain('America-New_York')
  expect(moved.text).toContain('America/New_York')
  await setBranding(kassa.ctx, shop.merchantId, { timeZone: 'Asia/Yerevan' })
})

test("today's numbers are those of all payments of the day, with the sums of each status", async () => {
  const { text } = await browsers.shop.get('/sandbox/today')
  const rows = [
    ...plain(text).matchAll(
      /class="number"><strong>(\d+\+?)<\/strong><span>([^<]*)<\/span>(?:<span class="sum">([^<]*)<)?/g,
    ),
  ]
  expect(rows.map(([, count, status, sum]) => [count, status, sum])).toEqual([
    ['1', 'money held', '$99.00'],
    ['1', 'paid', '$10.00'],
    ['1', 'not tried yet', '$10.00'],
  ])
})

test('more payments than are counted have a least number and no sum', async () => {
  const { merchantId } = shop
  const all = await countByStatus(kassa.ctx, { merchantId })
  expect(all.find(({ status }) => status === 'paid')).toEqual({
    status: 'paid',
    count: 2,
    isMinimum: false,
    sums: [{ currency: 'USD', minor: 5_500n }],
  })
  const cut = await countByStatus(kassa.ctx, { merchantId, paymentsMax: 3 })
  expect(cut.map(({ isMinimum, sums }) => [isMinimum, sums])).toEqual(cut.map(() => [true, []]))
  expect(cut.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(3)
  const exact = await countByStatus(kassa.ctx, { merchantId, paymentsMax: 4 })
  expect(exact.every(({ isMinimum }) => !isMinimum)).toBe(true)
  // Those of other shops are looked at, where an index leads to all of a status, and not counted.
  await open('doubt', {}, 'unknown', other)
  expect(await countByStatus(kassa.ctx, { merchantId, status: 'status_unknown' })).toEqual([])
  expect((await countByStatus(kassa.ctx, { merchantId: null, status: 'status_unknown' }))[0]?.count).toBe(1)
})

test('a new payment comes into the open page by itself, and nothing is sent while there is none', async () => {
  const lively = await openShop(kassa.ctx)
  const { merchantId } = lively
  const { browser: cashier } = await openAs(kassa.ctx, desk, {
    role: 'cashier',
    name: 'Lively',
    email: 'lively@shop.example',
    merchantId,
  })
  await open('first', { amountMinor: 1_000 }, undefined, lively)
  for (const path of ['/sandbox/today', LIST]) {
    const { text } = await cashier.get(path)
    const [, mark = ''] = /data-live="([^"]*)" data-pause="3"/.exec(text) ?? []
    expect(mark).not.toBe('')
    const look = (number: number) => cashier.get(`${path}?live=${number}&mark=${mark}`)
    const same = await look(1)
    expect([same.status, same.text, same.headers.get('retry-after')]).toEqual([204, '', '3'])
    await open(`live ${path}`, { amountMinor: 1_234 }, undefined, lively)
    const next = await look(2)
    expect(next.status).toBe(200)
    if (path === LIST) expect(namesIn(next.text)[0]).toBe(`live ${LIST}`)
    else expect(plain(next.text)).toContain('not tried yet</span><span class="sum">$22.34<')
    expect(/data-live="([^"]*)"/.exec(next.text)?.[1]).not.toBe(mark)
    // Without a change the looks end.
    expect((await look(90)).headers.get('retry-after')).toBeNull()
  }
  const { text } = await browsers.shop.get(`${LIST}?day=yesterday`)
  expect(text).not.toContain('data-pause')
})
