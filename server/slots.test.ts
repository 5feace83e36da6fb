/** Every id and key carries the slot of its merchant, wherever it is stored or shown. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setAccount } from './accounts/set.ts'
import { ID_BODY, NO_MERCHANT, slotOf, WORLD_PREFIXES } from './id.ts'
import { issueToken, rotateToken } from './merchants/api-key.ts'
import { verifyCallback } from './receivers/check.ts'
import { ORDER_BOOK_URL, setCallback } from './receivers/receiver.ts'
import { rotateWebhookSecret } from './receivers/secret.ts'
import {
  askOperation,
  clickWidget,
  createLink,
  createSession,
  linkRequest,
  lookUp,
  readPage,
} from './testing/calls.ts'
import { expectWithin } from './testing/expect-within.ts'
import { type Kassa, SHOP_ORIGIN, type Shop, startKassa } from './testing/harness.ts'
import { openFiscalShop } from './testing/payments/fiscal-shop.ts'
import {
  createSubscription,
  openToken,
  revokeToken,
  subscriptionRequest,
} from './testing/payments/subscriptions.ts'
import { type Receiver, startReceiver } from './testing/receiver.ts'

const PREFIXES = [...WORLD_PREFIXES, 'mer', 'req', 'wrk']
const NAME = new RegExp(`\\b(${PREFIXES.join('|')})_(?:test_)?([0-9a-z]+)|\\b(k[sp]k)_sandbox_([\\w-]+)`, 'g')
const BODY = new RegExp(`^${ID_BODY}$`)
const TIME_CHARS = 10
/** The deployment's own accounts, requests and workers belong to no merchant. */
const OF_NOBODY = ['acc', 'req', 'wrk']

type Named = { kind: string; slot: string }

/** Returns every id and key in a text. Fails if one has another form than all others. */
function namesIn(text: string): Named[] {
  return Array.from(text.matchAll(NAME), ([name, prefix, body = '', key, rest = '']) => {
    if (key !== undefined) return { kind: key, slot: rest.slice(0, 2) }
    if (!BODY.test(body)) throw new Error(`${name} has not the form of an id, in ${text}`)
    return { kind: prefix ?? '', slot: body.slice(TIME_CHARS, TIME_CHARS + 2) }
  })
}

/** Returns those names that do not carry the slot. */
function strangersIn(names: Named[], slot: string): Named[] {
  const nobody = slotOf(NO_MERCHANT)
  return names.filter(
    (each) => each.slot !== slot && !(each.slot === nobody && OF_NOBODY.includes(each.kind)),
  )
}

/** Returns each row of each table as a text, also of the tables that somebody adds later. */
async function readRows({ ctx }: Kassa): Promise<string[]> {
  const { rows: tables } = await ctx.db.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema not in ('information_schema', 'pg_catalog') and table_type = 'BASE TABLE'`,
  )
  const all: string[] = []
  for (const { name } of tables) {
    const { rows } = await ctx.db.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`)
    all.push(...rows.map(({ row }) => `${name}: ${row}`))
  }
  return all
}

let kassa: Kassa
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
  const settings = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'receipts@pay.example' }
  kassa = await startKassa({ settings, worker: true })
})
afterAll(async () => {
  await kassa.close()
  await receiver.close()
})

/** Waits until the workers have delivered, printed, refunded and charged everything. */
async function settle(): Promise<void> {
  const left = async () => {
    const { rows } = await kassa.ctx.db.query<{ left: number }>(
      `select (select count(*) from sandbox.events where state = 'pending')
        + (select count(*) from sandbox.receipts where status <> 'issued')
        + (select count(*) from sandbox.subscriptions where status <> 'active')
        + (select count(*) from sandbox.order_payments where due_at is not null)
        + (select count(*) from sandbox.operations where status not in ('succeeded', 'failed')) as left`,
    )
    return Number(rows[0]?.left)
  }
  await expectWithin(30_000, left, 0)
}

/** Does all that the API, a buyer and an operator can do for a shop. Returns every text that it shows to the merchant. */
async function doEverything(
  of: Kassa,
  shop: Shop,
  pay: (changes: object) => Promise<string>,
): Promise<string[]> {
  const { ctx, url } = of
  const { merchantId } = shop
  const shown: unknown[] = [shop]
  const show = <T>(answer: T): T => {
    shown.push(answer)
    return answer
  }
  const paid = await pay({ customer: { email: 'ani@example.com' } })
  show(
    await askOperation(url, shop, paid, 'refunds', {
      key: 'refund',
      body: { amountMinor: 900, reason: 'broken' },
    }),
  )
  show(
    await createLink(url, shop, {
      key: 'link',
      body: linkRequest({ merchantOrderId: 'bill-1' }),
    }),
  )
  show(await clickWidget(url, shop))
  show(await readPage(`${url}/pay/${shop.publicKey}/tea`))
  const saved = await openToken(url, shop)
  show(await createSubscription(url, shop, { body: subscriptionRequest(saved) }))
  show(await revokeToken(url, shop, await openToken(url, shop)))
  const written = { CUSTOMER: merchantId, SECRET: `secret-of-${merchantId}` }
  show(
    await setAccount(ctx, {
      merchantId,
      route: 'route_b',
      driver: 'sandbox',
      currencies: undefined,
      written,
    }),
  )
  const own = await createSession(url, shop, { key: 'own', body: { ...ORDER, provider: 'route_b' } })
  show(own)
  show(await lookUp(url, shop, own.body.id))
  const { tokenId } = show(await issueToken(ctx, { merchantId }))
  show(await rotateToken(ctx, tokenId, '0'))
  await rotateWebhookSecret(ctx, merchantId, '0')
  show(await verifyCallback(ctx, merchantId))
  return shown.map((each) => JSON.stringify(each))
}

const ORDER = {
  merchantOrderId: 'own-1',
  amountMinor: 1900,
  currency: 'USD',
  returnUrl: `${SHOP_ORIGIN}/thanks`,
}

test('everything that is stored or shown carries the slot of its merchant', async () => {
  const seen = new Set<string>()
  const expectSlot = (where: string, names: Named[], slot: string) => {
    expect([where, strangersIn(names, slot)]).toEqual([where, []])
    for (const { kind } of names) seen.add(kind)
  }
  const slots = new Set<string>()
  for (const _ of ['one merchant', 'another']) {
    const { shop, pay } = await openFiscalShop(kassa)
    await setCallback(kassa.ctx, shop.merchantId, receiver.url)
    const slot = slotOf(shop.merchantId)
    slots.add(slot)
    const before = receiver.received.length
    const shown = await doEverything(kassa, shop, (changes) => pay('route_a', changes))
    await settle()
    const delivered = receiver.received
      .slice(before)
      .map(({ headers, body }) => JSON.stringify(headers) + body)
    expect(delivered.length).toBeGreaterThan(3)
    for (const text of [...shown, ...delivered]) expectSlot(text, namesIn(text), slot)
    // An order of the order book is read from the tables below.
    await setCallback(kassa.ctx, shop.merchantId, ORDER_BOOK_URL)
    await pay('route_a', {})
    await settle()
  }
  expect(slots).toHaveLength(2)
  for (const text of await readRows(kassa)) {
    const names = namesIn(text)
    const owned = names.find((each) => slots.has(each.slot))
    expectSlot(text, names, owned?.slot ?? slotOf(NO_MERCHANT))
  }
  expect([...WORLD_PREFIXES, 'mer', 'ksk', 'kpk'].filter((kind) => !seen.has(kind))).toEqual([])
}, 60_000)
