/** Totals, and statements compared with the books in the console: read once, said in words, and decided on the desk. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAuditChain } from '../../storage/audit/log.ts'
import { askOperation, createSession, lookUp, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { type Desk, openAs, startDesk, type TestBrowser } from '../../testing/console.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { operateHere } from '../../testing/operator.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

let kassa: Kassa
let desk: Desk
let shop: Shop
let operator: TestBrowser
let owner: TestBrowser
let orders = 0
beforeAll(async () => {
  kassa = await startKassa()
  desk = await startDesk(kassa.worlds)
  shop = await openShop(kassa.ctx)
  const open = async (values: Parameters<typeof openAs>[2]) => (await openAs(kassa.ctx, desk, values)).browser
  await open({ role: 'administrator', email: 'administrator@pay.example' })
  operator = await open({ role: 'operator', email: 'operator@pay.example' })
  owner = await open({ role: 'shop', email: 'owner@shop.example', merchantId: shop.merchantId })
})
afterAll(async () => {
  await desk.close()
  await kassa.close()
})

const address = () => `/sandbox/statements/${kassa.ctx.routes.route_a.id}`
const day = (days: number) => new Date(kassa.clock.now().getTime() + days * 86_400_000).toISOString()
/** The first and the last line cover a month, so the books must be complete. */
const fileOf = (...lines: string[]) =>
  ['id,Date,Sum,Type,Text', `first,${day(-20)},0,x,`, ...lines, `last,${day(20)},0,x,`].join('\n')
/** Returns the page to which the comparison leads, or the refusal. */
async function give(text: string, browser = operator, more: Record<string, string> = {}) {
  const statement = new File([text], 'statement.csv', { type: 'text/csv' })
  const answer = await browser.postFiles(address(), { statement, ...more })
  return answer.location === null ? answer : browser.get(answer.location)
}

async function pay(amountMinor: number, of = shop): Promise<{ id: string; reference: string }> {
  const order = `order-${++orders}`
  const body = sessionRequest({ provider: 'route_a', merchantOrderId: order, amountMinor })
  const { body: session } = await createSession(kassa.url, of, { key: order, body })
  await payAtBank(session.providerCheckoutUrl, 'paid')
  await lookUp(kassa.url, of, session.id)
  const { rows } = await kassa.ctx.db.query('select reference from sandbox.attempts where payment_id = $1', [
    session.id,
  ])
  return { id: session.id, reference: rows[0].reference }
}
const factOf = (text: string, name: string) => new RegExp(`<dt>${name}</dt><dd>([^<]*)</dd>`).exec(text)?.[1]

test('the columns of a new statement are said once, and a wrong answer is refused in words', async () => {
  const asked = await give(fileOf())
  expect(asked.status).toBe(422)
  expect(asked.text).toContain('The columns of this file are not known.')
  expect(asked.text).toMatch(/name="at"[\s\S]*?<option value="Date" selected/)
  const form = {
    ...{ columns: 'id\nDate\nSum\nType\nText', at: 'Date', amount: 'Sum', id: 'id', orders: 'Text' },
    ...{ kind: 'Type', wordsTaken: 'in', wordsReturned: 'out', fixedCurrency: 'usd' },
    ...{ dates: 'ymd', decimalSign: '.', timeZone: 'UTC' },
  }
  for (const wrong of [
    { at: '' },
    { fixedCurrency: 'dollar' },
    { timeZone: 'Nowhere/Else' },
    { dates: 'x' },
  ]) {
    // A browser sends the hidden names with line breaks of its own.
    const columns = form.columns.replaceAll('\n', '\r\n')
    const answer = await operator.post(`${address()}/format`, { ...form, columns, ...wrong })
    expect([wrong, answer.status]).toEqual([wrong, 422])
    expect(answer.text).toContain('Choose the columns of the date')
    expect(answer.text).toMatch(/name="amount"[\s\S]*?<option value="Sum" selected/)
  }
  expect((await operator.post(`${address()}/format`, form)).location).toBe(`${address()}?done=format`)
  expect((await operator.get(`${address()}?done=format`)).text).toContain('Give the file again.')
})

test('three differences are found, said and decided, and the same file again changes nothing', async () => {
  const [good, other, missing] = [await pay(1500), await pay(2000), await pay(2500)]
  const now = kassa.clock.now().toISOString()
  const file = fileOf(
    `a,${now},15.00,in,${good.reference}`,
    `b,${now},19.00,in,${other.reference}`,
    `c,${now},7.00,in,nobody`,
  )
  const first = await give(file)
  expect(first.status).toBe(200)
  expect(first.text).toContain('Differences to look at: 3.')
  expect([factOf(first.text, 'Lines'), factOf(first.text, 'Agree')]).toEqual(['5', '1'])
  const links = [...first.text.matchAll(/href="([^"]+)" class="row" data-kind="(\w+)"/g)]
  expect(links.map(([, , kind]) => kind).sort()).toEqual(['differing', 'missing_here', 'missing_there'])
  for (const said of [
    'books $20.00, statement $19.00',
    'books $25.00, statement $0.00',
    'books $0.00, statement $7.00',
  ])
    expect(first.text).toContain(said)
  for (const [, href = ''] of links) {
    const found = await operator.get(href.replaceAll('&amp;', '&'))
    expect([href, found.status]).toEqual([href, 200])
    expect(found.text).toContain('The statement of the provider and the books do not agree.')
  }
  const stored = () =>
    kassa.ctx.db.query(
      `select (select json_agg(f order by id) from sandbox.statement_findings f) as findings,
         (select count(*) from sandbox.payment_warnings)::int as warnings, (select count(*) from sandbox.statement_lines)::int as lines`,
    )
  const before = (await stored()).rows
  for (const forged of ['x.y', '.', `k.${'A'.repeat(80)}`])
    expect((await operator.get(`${address()}?result=${forged}`)).text).not.toContain('Lines')
  const again = await give(file)
  expect(again.text).toContain('This statement was read before')
  expect(factOf(again.text, 'New or changed')).toBe('0')
  expect((await stored()).rows).toEqual(before)
  expect((await operator.get('/sandbox/desk?kind=difference')).text.match(/class="row case"/g)).toHaveLength(
    3,
  )
  const mended = fileOf(
    `a,${now},15.00,in,${good.reference}`,
    `b,${now},20.00,in,${other.reference}`,
    `m,${now},25.00,in,${missing.reference}`,
  )
  // A line that is stored with another amount: nothing is stored until a person says that this file is the right one.
  const refused = await give(mended)
  expect([refused.status, refused.text.includes('An earlier statement has lines of this file')]).toEqual([
    422,
    true,
  ])
  const settled = await give(mended, operator, { replace: 'yes' })
  expect(factOf(settled.text, 'Earlier differences that are settled now')).toBe('3')
  const rows = (await readAuditChain(kassa.ctx.db, 0, 1_000)).filter(
    ({ what }) => what === 'reconcile statement',
  )
  expect(rows).toHaveLength(2)
  expect(rows[0]).toMatchObject({ who: 'A operator', about: kassa.ctx.routes.route_a.id })
})

test('a file that cannot be read is refused in words of the reader', async () => {
  const wrong: [string, string][] = [
    [fileOf(`a,soon,15.00,in,x`), 'Line 3 of the file cannot be read'],
    [fileOf(`a,${day(0)},many,in,x`), 'Line 3 of the file cannot be read'],
    ['id,Date,Sum,Type,Text', 'No line of this file moved money.'],
    ['%PDF-1.4\n%âãÏÓ\n1 0 obj', 'This kind of file is no statement that can be read here.'],
    [`id,Date,Sum,Type,Text\n"${'x'.repeat(70_000)}`, 'cannot be read'],
  ]
  for (const [text, said] of wrong) {
    const answer = await give(text)
    expect([said, answer.status]).toEqual([said, 422])
    expect(answer.text).toContain(said)
  }
  expect((await operator.postFiles(address(), {})).text).toContain('Choose the file of the statement first.')
  expect((await give('x'.repeat(6_000_000))).status).toBe(413)
  expect((await give(fileOf(), owner)).status).toBe(403)
  expect((await operator.get(`${address()}?after=${encodeURIComponent('2026-99-99T00:00Z x')}`)).status).toBe(
    200,
  )
})

test('totals are those of the command line, of one shop and of all', async () => {
  const other = await openShop(kassa.ctx)
  await pay(900, other)
  const { id } = await pay(5000)
  await askOperation(kassa.url, shop, id, 'refunds', { key: 'back', body: { amountMinor: 700, reason: 'r' } })
  await SWEEPS.moneyOperations(kassa.ctx)
  const { stdout } = await operateHere(async () => kassa.ctx, ['report', 'totals', '--by', 'day', '--json'])
  const { totals } = JSON.parse(stdout) as { totals: { merchantId: string; takenMinor: number }[] }
  const taken = (only?: string) =>
    totals.reduce((sum, each) => sum + (only && each.merchantId !== only ? 0 : each.takenMinor), 0)
  const shown = (minor: number) => `$${(minor / 100).toFixed(2)}`
  const own = `/sandbox/shops/${shop.merchantId}/totals`
  for (const by of ['day', 'month']) {
    expect(factOf((await operator.get(`/sandbox/totals?by=${by}`)).text, 'Taken')).toBe(shown(taken()))
    const { text } = await owner.get(`${own}?by=${by}`)
    expect(factOf(text, 'Taken')).toBe(shown(taken(shop.merchantId)))
    expect(factOf(text, 'Returned')).toBe('$7.00')
  }
  expect((await owner.get('/sandbox/totals')).location).toBe(own)
  const earlier = await owner.get(`${own}?until=2020-02-29`)
  expect(earlier.text).toContain('No money moved in these days.')
  expect(earlier.text).toContain('until=2020-02-22')
  for (const until of ['2026-02-31', '9999-01-01', '0001-01-01', "x' or 1"])
    expect([until, (await owner.get(`${own}?${new URLSearchParams({ until })}`)).status]).toEqual([
      until,
      200,
    ])
  for (const locale of ['ru', 'hy'])
    for (const path of [own, address(), '/sandbox/statements'])
      expect((await operator.get(path, { 'accept-language': locale })).text).not.toMatch(
        /\{\w+\}|undefined|null</,
      )
})
