/**
 * Follows the guide on adding a currency in a copy of the sources. Both versions share a database, and a buyer pays in the new
 * currency.
 */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CURRENCY_CODES } from '../contract/fields.ts'
import {
  createLink,
  createSession,
  linkRequest,
  lookUp,
  payAtBank,
  readCapabilities,
  sessionRequest,
} from '../testing/calls.ts'
import {
  type Kassa,
  type KassaProcess,
  openShop,
  type Shop,
  spawnKassa,
  startKassa,
} from '../testing/harness.ts'
import { operateProcess } from '../testing/operator.ts'
import { copySources, type EditedCopy } from '../testing/releases/edited-copy.ts'

// Codes of ISO 4217 that nobody pays with: one for tests, with two decimals, and a unit of account without decimals.
const CENTS = 'XTS'
const WHOLE = 'UYI'

let sources: EditedCopy
let kassa: Kassa
let shop: Shop
let next: KassaProcess
let plan: string
beforeAll(async () => {
  sources = await copySources()
  await followGuide()
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
  plan = (await operateNext(['database', 'migrate', '--plan'])).stdout
  next = await spawnKassa({ DATABASE_URL: kassa.databaseUrl }, sources.path('server/main.ts'))
})
afterAll(async () => {
  await next?.kill('SIGTERM')
  await kassa?.close()
  await sources?.remove()
})

/** Adds the guide's row and its migration, with other codes, and a row without decimals. */
async function followGuide(): Promise<void> {
  const guide = await readFile(new URL('./adding-a-currency.md', import.meta.url), 'utf8')
  const [, row = '', code = ''] = /```ts\n((\w+): .*)\n```/.exec(guide) ?? []
  const [, migration = ''] = /```sql\n([\s\S]*?)```/.exec(guide) ?? []
  const rows = `  ${row.replace(code, CENTS)}\n  ${WHOLE}: { digits: 0, isWhole: true, signs: [] },\n`
  await sources.edit('server/contract/currencies.ts', /^} as const/m, `${rows}} as const`)
  const codes = [...CURRENCY_CODES, CENTS, WHOLE].map((each) => `'${each}'`).join(', ')
  expect(migration).toMatch(/value in \([^)]+\)/)
  await sources.write(
    'server/storage/migrations/world/0900_currency.sql',
    migration.replace(/value in \([^)]+\)/, `value in (${codes})`),
  )
}

const operateNext = (args: string[]) =>
  operateProcess({ DATABASE_URL: kassa.databaseUrl }, args, sources.path('server/admin.ts'))

async function show(url: string, path: string): Promise<{ status: number; html: string }> {
  const answer = await fetch(new URL(path, url), {
    headers: { accept: 'text/html', 'accept-language': 'en' },
  })
  return { status: answer.status, html: await answer.text() }
}

test('the plan names the migration and says what it does', () => {
  expect(plan).toContain('sandbox/0900_currency.sql: A currency that this version adds.')
})

test('the routes take the currency, and the list of accounts says so', async () => {
  const { providers } = (await readCapabilities(next.url, shop)).body
  const [route] = providers.filter(({ id }: { id: string }) => id === 'route_a')
  expect(route.currencies).toEqual([...CURRENCY_CODES, CENTS, WHOLE])
  expect((await operateNext(['account', 'list'])).stdout).toContain(
    [...CURRENCY_CODES, CENTS, WHOLE].join(', '),
  )
})

test.each([
  [CENTS, '19.50', 'XTS\u00a019.50', '19.50 XTS'],
  [WHOLE, '1950', 'UYI\u00a01,950', '1 950 UYI'],
])('a buyer pays %s, and the earlier version shows the payment', async (currency, amount, shown, listed) => {
  const made = await createLink(next.url, shop, { key: currency, body: linkRequest({ amount, currency }) })
  expect([made.status, made.body.payment?.amountMinor]).toEqual([201, 1950])
  const page = await show(next.url, made.body.checkoutUrl)
  expect(page).toEqual({ status: 200, html: expect.stringContaining(shown) })
  await payAtBank(`${made.body.checkoutUrl}/continue`, 'paid')
  const { paymentId } = made.body
  const paid = { status: 'paid', currency, amountMinor: 1950, capturedMinor: 1950 }
  expect((await lookUp(next.url, shop, paymentId)).body).toMatchObject(paid)

  expect(await show(kassa.url, `/checkout/${paymentId}`)).toMatchObject({ status: 200 })
  const list = await operateProcess({ DATABASE_URL: kassa.databaseUrl }, ['payment', 'list'])
  expect(list).toMatchObject({ code: 0, stdout: expect.stringContaining(listed) })
})

test('a product has a price in the currency, and its page takes an amount as buyers type it', async () => {
  const chosen = ['--amount', '20', '--min-amount', '10', '--max-amount', '5000', '--step', '0.50']
  const set = ['--merchant', shop.merchantId, '--id', 'gift', '--name', 'Gift', '--currency', CENTS]
  expect(await operateNext(['product', 'set', ...set, ...chosen])).toMatchObject({ code: 0 })
  const path = `/pay/${shop.publicKey}/gift`
  await expect.poll(async () => (await show(next.url, path)).html).toContain('XTS\u00a010.00')
  const form = /name="token" value="([^"]+)"/.exec((await show(next.url, path)).html)?.[1] ?? ''
  const answer = await fetch(new URL(path, next.url), {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ token: form, amount: '₾ 19,50' }),
  })
  expect(answer.status).toBe(303)
  const { rows } = await kassa.ctx.db.query(
    'select amount_minor, currency from sandbox.payments order by id desc limit 1',
  )
  expect(rows).toEqual([{ amount_minor: 1950, currency: CENTS }])
})

test('the earlier version makes no payment in the currency', async () => {
  const body = sessionRequest({ currency: CENTS, merchantOrderId: 'early' })
  expect((await createSession(kassa.url, shop, { key: 'early', body })).status).toBe(422)
})
