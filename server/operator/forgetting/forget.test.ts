/** After a buyer is forgotten, no table has the buyer's address or number, and all sums are as before. */
import { beforeEach, expect, test } from 'vitest'
import { verifyLog } from '../../audit/verify.ts'
import { handOver } from '../../orders/receive.ts'
import { workOn } from '../../orders/work.ts'
import { eventHeaders } from '../../receivers/request.ts'
import { findBrokenRules } from '../../storage/backup/facts.ts'
import { inTransaction } from '../../storage/db.ts'
import { findBankReference, insertBankReference } from '../../storage/payments/bank-references.ts'
import { insertPaymentWarning } from '../../storage/payments/payment-warnings.ts'
import { askOperation, createLink, linkRequest, payAtBank } from '../../testing/calls.ts'
import { openShop, type Shop } from '../../testing/harness.ts'
import { mortalDb } from '../../testing/mortal-db.ts'
import { operateHere, operateJson } from '../../testing/operator.ts'
import { createToken, saveCard, tokenRequest } from '../../testing/payments/subscriptions.ts'
import { type Receiver, startReceiver } from '../../testing/receiver.ts'
import { shopActs } from '../../testing/scene/shop.ts'
import { openKassa } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { fold, phoneWord } from '../finding/fold.ts'
import { writeAllRows } from '../finding/rows.ts'
import { forgetCustomer } from './forget.ts'

const EMAIL = 'ani.grigoryan+tea@shop.example'
const PHONE = '+374 (99) 123-456'
const OTHER = 'davit@shop.example'
/** What must not be anywhere afterwards: in lower case, and the number in any spelling. */
const FOUND = 'ani\\.grigoryan(\\+|%2B)tea(@|%40)shop\\.example|374[ ().-]*99[ ().-]*123[ ().-]*456'
/** The same as a search row has it. */
const SEARCHED = `|${fold('ani.grigoryan+tea')}|${phoneWord(PHONE)}`
const GIVEN = { email: EMAIL, phone: PHONE }

let shop: Shop
let orders = 0
const kassa = await openKassa()

const query = (text: string, values: unknown[] = []) => kassa.ctx.db.query(text, values)
async function run(...args: string[]) {
  const { answer } = await operateJson({}, args, (_settings, words) =>
    operateHere(async () => kassa.ctx, words),
  )
  return answer
}

/** Every column of every table, as text: where the data is, and what the table has. */
async function readAll(): Promise<{ places: string[]; content: Record<string, string> }> {
  const { rows: tables } = await query(
    `select table_schema as schema, table_name as name from information_schema.tables
     where table_schema in ('sandbox', 'kassa', 'sandbox_jobs') and table_type = 'BASE TABLE' order by 1, 2`,
  )
  const places: string[] = []
  const content: Record<string, string> = {}
  for (const { schema, name } of tables) {
    const at = `${schema}.${name}`
    const { rows } = await query(
      `select md5(coalesce(string_agg(t::text, '' order by t::text), '')) as content,
         count(*) filter (where t::text ~* $1)::int as found from ${at} t`,
      [FOUND + SEARCHED],
    )
    content[at] = rows[0].content
    if (rows[0].found > 0) places.push(at)
  }
  return { places, content }
}

async function pay(customer: object | undefined, changes: object = {}): Promise<string> {
  return shopActs(kassa, shop).buy({ ...(customer && { customer }), ...changes })
}

/** Leaves the buyer's data wherever it can get. Returns the payments: two of the buyer, and one of somebody else. */
async function buy(): Promise<string[]> {
  const first = await pay({ email: EMAIL.toUpperCase(), name: 'Ani', phone: '37499123456' })
  const second = await pay(
    { phone: PHONE, name: 'Ani' },
    { metadata: { gift: `for\n${EMAIL}`, shelf: 'B2' } },
  )
  const other = await pay({ email: OTHER, name: 'Davit' })
  const { body: link } = await createLink(kassa.url, shop, {
    key: `paid-${++orders}`,
    body: linkRequest({ description: `Tea for ${EMAIL}` }),
  })
  await payAtBank(`${link.checkoutUrl}/continue`, 'paid')
  await tellOrderBook()
  await createLink(kassa.url, shop, {
    key: `open-${++orders}`,
    body: linkRequest({ customer: { email: EMAIL }, description: `Tea for ${EMAIL}` }),
  })
  await askOperation(kassa.url, shop, first, 'refunds', {
    key: 'r',
    body: { amountMinor: 500, reason: `asked by ${EMAIL}`, metadata: { by: EMAIL } },
  })
  await SWEEPS.moneyOperations(kassa.ctx)
  const { body: token } = await createToken(kassa.url, shop, {
    body: tokenRequest({ customer: { email: EMAIL }, metadata: { of: PHONE } }),
  })
  await saveCard(token.setupUrl, 'saved')
  await kassa.ctx.exchangeLog.flush()
  await writeAllRows(kassa.ctx)
  const { merchantId } = shop
  const at = kassa.ctx.clock.now()
  await insertPaymentWarning(kassa.ctx.db, {
    merchantId,
    paymentId: first,
    detail: `paid by ${EMAIL}`,
    createdAt: at,
  })
  const [account] = (await query('select id from sandbox.accounts order by id limit 1')).rows
  await query(
    `insert into sandbox.statement_lines (account_id, line_id, at, kind, currency, amount_minor, fee_currency, order_names, movement_names)
     values ($1, $2, $3, 'taken', 'USD', 1900, 'USD', array['order-1', $4], array['tx-1'])`,
    [account.id, `line-${orders}`, at, EMAIL],
  )
  // Of the buyer who has corrected the address since, or of what a register and a provider have answered.
  await query(
    `update sandbox.attempts set facts = jsonb_build_object('payer', $2::text) where payment_id = $1`,
    [other, EMAIL],
  )
  await query('update sandbox.payment_changes set detail = $2 where payment_id = $1', [other, `not ${EMAIL}`])
  await query('update sandbox.saved_methods set return_url = $2 where merchant_id = $1', [
    merchantId,
    `https://shop.example/?of=${encodeURIComponent(EMAIL)}`,
  ])
  await query(
    `insert into sandbox.deliveries (merchant_id, event_id, attempt, url, status_code, duration_ms, response_start, created_at)
     select merchant_id, id, 1, 'https://shop.example', 200, 3, $2, created_at from sandbox.events where payment_id = $1`,
    [first, `thanks ${EMAIL}`],
  )
  await insertBankReference(kassa.ctx.db, {
    ...transferOf(account.id),
    merchantId,
    paymentId: first,
    createdAt: at,
  })
  await query(
    `insert into sandbox.provider_exchanges (account_id, subject_id, method, url, status, duration_ms, request_body, created_at)
     values ($1, null, 'POST', 'https://bank.example', 200, 3, $2, $3)`,
    [account.id, `order%5Bemail%5D%3D${encodeURIComponent(EMAIL)}`, at],
  )
  return [first, second, other]
}

/** A buyer has written the address as the purpose of a transfer. */
const transferOf = (accountId: string) => ({
  accountId,
  reference: `Tea ${EMAIL} ${shop.merchantId}`,
  key: `TEA${EMAIL}${shop.merchantId}`.toUpperCase(),
})

/** A shop without a back end has an order of each sale. */
async function tellOrderBook(): Promise<void> {
  const { rows } = await query('select id, body from sandbox.events where merchant_id = $1 order by id', [
    shop.merchantId,
  ])
  for (const { id, body } of rows) {
    const headers = eventHeaders({ id, body }, [shop.webhookSecret], new Date())
    const { paymentId } = await handOver(kassa.ctx, shop.merchantId, { headers, body })
    if (paymentId) await workOn(kassa.ctx, shop.merchantId, paymentId)
  }
}

const money = async () =>
  (
    await query(
      `select p.id, p.status, p.version, p.captured_minor, p.refunded_minor, p.amount_minor, p.merchant_order_id,
         (select sum(e.amount_minor) from sandbox.entries e where e.payment_id = p.id) as entries
       from sandbox.payments p order by p.id`,
    )
  ).rows

beforeEach(async () => {
  shop = await openShop(kassa.ctx)
})

test('nothing of the buyer is in any table, and the money trail, the rules and the audit log hold', async () => {
  const [first = '', second = '', other = ''] = await buy()
  const before = await readAll()
  for (const table of [
    'payments',
    'events',
    'saved_methods',
    'operations',
    'statement_lines',
    'deliveries',
    'provider_exchanges',
    'payment_search',
    'payment_warnings',
    'orders',
    'order_payments',
    'bank_references',
  ])
    expect(before.places).toContain(`sandbox.${table}`)
  const sums = await money()
  const totals = await run('report', 'totals', '--by', 'day')

  await query(
    `create table public.late_rows as select * from sandbox.payment_search where payment_id = '${first}'`,
  )

  const dry = await run('customer', 'forget', '--email', EMAIL, '--phone', PHONE, '--dry-run')
  expect((await readAll()).content).toEqual(before.content)
  const { blanked } = await run('customer', 'forget', '--email', EMAIL, '--phone', PHONE)
  expect(dry).toMatchObject({ dryRun: true, blanked })
  expect(blanked).toMatchObject({ payments: 4, savedMethods: 1, statementLines: 1 })
  expect((await readAll()).places).toEqual([])

  // The worker had read a payment before, and wrote its row only now.
  await query('insert into sandbox.payment_search select * from public.late_rows')
  expect((await readAll()).places).toEqual(['sandbox.payment_search'])
  expect((await run('customer', 'forget', '--email', EMAIL, '--phone', PHONE)).blanked.search).toBe(1)
  expect((await readAll()).places).toEqual([])

  expect(await money()).toEqual(sums)
  expect((await run('report', 'totals', '--by', 'day')).totals).toEqual(totals.totals)
  expect(await inTransaction(kassa.ctx.db, (tx) => findBrokenRules(tx, 'sandbox'))).toEqual([])
  expect(await verifyLog(kassa.ctx, { given: [], keys: [] })).toMatchObject({ faults: [] })
  const { rows } = await query(
    'select id, customer, metadata from sandbox.payments where id = any($1) order by id',
    [[first, second, other]],
  )
  const of = (id: string) => rows.find((row) => row.id === id)
  expect([of(first).customer, of(second).customer]).toEqual([null, null])
  expect(of(second).metadata).toEqual({ shelf: 'B2' })
  expect(of(other).customer).toMatchObject({ email: OTHER })
  const { events } = await run('event', 'list', '--payment', first)
  expect((await run('event', 'replay', '--event', events[0].eventId)).error.message).toMatch(
    /callback URL|forgotten/,
  )
  const { rows: audited } = await query(`select what from kassa.audit_log where what = 'customer forget'`)
  expect(audited.length).toBeGreaterThan(0)
  const { rows: references } = await query('select * from sandbox.bank_references')
  expect(references).toMatchObject([{ reference: 'forgotten', payment_id: first }])
  const { key, ...transfer } = transferOf(references[0].account_id)
  expect(await findBankReference(kassa.ctx.db, { ...transfer, key })).toBe(first)
  const twice = { ...transfer, key, merchantId: shop.merchantId, paymentId: second, createdAt: new Date() }
  expect(await insertBankReference(kassa.ctx.db, twice)).toBe(false)
  const again = await run('customer', 'forget', '--email', EMAIL, '--phone', PHONE)
  expect(Object.values(again.blanked as Record<string, number>).filter((count) => count > 0)).toEqual([])
})

test('a command that dies at any statement is repeated, and gives the same', {
  timeout: 120_000,
}, async () => {
  await buy()
  const sums = await money()
  for (const statements of [3, 6, 9, 12, 15, 20, 30, 45]) {
    const db = mortalDb(kassa.ctx.db, statements)
    await forgetCustomer({ ...kassa.ctx, db: db as never }, { ...GIVEN, dryRun: false }).catch(() => {})
  }
  await forgetCustomer(kassa.ctx, { ...GIVEN, dryRun: false })
  expect((await readAll()).places).toEqual([])
  expect(await money()).toEqual(sums)
})

test('an event of a forgotten buyer is not sent any more, and all others are', async () => {
  const receiver: Receiver = await startReceiver(() => 200)
  try {
    shop = await openShop(kassa.ctx, { callbackUrl: receiver.url })
    const id = await pay({ email: EMAIL })
    const other = await pay({ email: OTHER })
    const dropped = await forgetCustomer(kassa.ctx, { email: EMAIL, dryRun: false })
    // Whoever forgets reads that the shop will not hear of it.
    expect(dropped).toMatchObject({ events: 1, undelivered: 1 })
    const { rows } = await query(
      'select payment_id, state, due_at from sandbox.events where payment_id = any($1) order by id',
      [[id, other]],
    )
    expect(rows).toEqual([
      { payment_id: id, state: 'exhausted', due_at: null },
      { payment_id: other, state: 'pending', due_at: expect.any(Date) },
    ])
    const { events } = await run('event', 'list', '--payment', id)
    expect((await run('event', 'replay', '--event', events[0].eventId)).error.message).toContain('forgotten')
    expect((await run('desk', 'list', '--merchant', shop.merchantId)).cases).toEqual([])
  } finally {
    await receiver.close()
  }
})

test('a longer address of somebody else stays', async () => {
  const id = await pay({ email: `m${EMAIL}` }, { metadata: { of: `${EMAIL}.am`, near: '0374991234567' } })
  await forgetCustomer(kassa.ctx, { ...GIVEN, dryRun: false })
  const { rows } = await query('select customer, metadata from sandbox.payments where id = $1', [id])
  expect(rows[0]).toEqual({
    customer: { email: `m${EMAIL}` },
    metadata: { of: `${EMAIL}.am`, near: '0374991234567' },
  })
})

test.each([
  [
    'a short name is a whole word',
    'Li Wu',
    { product: 'olive wurst linen', Wu: 'for LI' },
    { product: 'olive wurst linen' },
  ],
  [
    'a name may stand in the name of a field',
    'Maria Petrosyan',
    { 'Maria Petrosyan': 'x', shelf: 'B2' },
    { shelf: 'B2' },
  ],
  ['a name with signs', "Ann-Marie O'Brien", { of: 'OBrien', gift: "O'Brien, Ann-Marie" }, { of: 'OBrien' }],
  ['a name with its marks apart', 'Rene\u0301e Zo\u00eb', { note: 'for REN\u00c9E ZOE\u0308' }, null],
  ['an Armenian name', 'Անի Պետրոսյան', { note: 'Պետրոսյան Անի', tea: 'անիս' }, { tea: 'անիս' }],
])('%s', async (_, name, metadata, left) => {
  const id = await pay({ email: EMAIL, name }, { metadata })
  await forgetCustomer(kassa.ctx, { ...GIVEN, dryRun: false })
  const { rows } = await query('select metadata from sandbox.payments where id = $1', [id])
  expect(rows[0].metadata).toEqual(left)
})

test.each([
  ['İrem.é@mail.example', 'i\u0307REM.e\u0301@mail.example'],
  ['ԱՆԻ@խանութ.հայ', 'անի@xn--y9aqk1bk4d.xn--y9a3aq'],
  ['zoe\u0308@mail.example', 'Zo%c3%ab%40mail.example'],
  ['zoë+a@mail.example', '\\u003czo\\u00eb\\u002Ba\\u0040mail.example'],
])('an address is forgotten however its letters are composed or encoded: %s', async (email, stored) => {
  const id = await pay(undefined, { metadata: { note: `of ${stored} only`, shelf: 'B2' } })
  await forgetCustomer(kassa.ctx, { email: 'somebody.else@mail.example', dryRun: false })
  await forgetCustomer(kassa.ctx, { email, dryRun: false })
  const { rows } = await query('select metadata from sandbox.payments where id = $1', [id])
  expect(rows[0].metadata).toEqual({ shelf: 'B2' })
})

test('a number in JSON is forgotten where people wrote it, and stays where it may be an amount', async () => {
  const metadata = { shelf: 2, phone: 37499123456, more: [1, 37499123456] }
  const id = await pay(undefined, { metadata })
  await askOperation(kassa.url, shop, id, 'refunds', {
    key: `n-${id}`,
    body: { amountMinor: 500, reason: 'asked', metadata },
  })
  const facts = { amount: 37499123456, list: [1, 37499123456], said: 'call 1, 37499123456, or 37499123456' }
  await query('update sandbox.attempts set facts = $2 where payment_id = $1', [id, facts])
  await forgetCustomer(kassa.ctx, { ...GIVEN, dryRun: false })
  const { rows } = await query(
    `select p.metadata, o.metadata as "ofRefund", a.facts from sandbox.payments p
     join sandbox.operations o on o.payment_id = p.id join sandbox.attempts a on a.payment_id = p.id where p.id = $1`,
    [id],
  )
  const kept = { amount: 37499123456, list: [1, null], said: 'call 1, null, or ' }
  expect(rows).toEqual([{ metadata: { shelf: 2 }, ofRefund: { shelf: 2 }, facts: kept }])
})

test('a number is found with its country and without it, and the same digits of another country are not', async () => {
  const own = [
    '+37477123456',
    '077 12-34-56',
    '77123456',
    '0037477123456',
    '+374 (0) 77 123456',
    '374 77 123456',
  ]
  const others = [
    '+49 77123456',
    '+7 977 712 34 56',
    '1177123456',
    '0477123456',
    '+374 77 1234567',
    '8 77 123456',
  ]
  const forgotten: string[] = []
  for (const phone of [...own, ...others]) forgotten.push(await pay({ phone }))
  const order = await pay(undefined, { metadata: { order: '77123456', near: 'x77123456' } })
  await forgetCustomer(kassa.ctx, { phone: '+374 (77) 123-456', dryRun: false })
  const { rows } = await query(
    'select customer, metadata from sandbox.payments where id = any($1) order by id',
    [[...forgotten, order]],
  )
  expect(rows.map(({ customer }) => customer)).toEqual([
    ...own.map(() => null),
    ...others.map((phone) => ({ phone })),
    null,
  ])
  expect(rows.at(-1).metadata).toEqual({ order: '77123456', near: 'x77123456' })
})

test('what is no address and no number is refused', async () => {
  for (const given of [{}, { email: 'ani' }, { email: 'ani@shop' }, { phone: '12345' }, { phone: 'ani' }])
    expect(() => forgetCustomer(kassa.ctx, { ...given, dryRun: true })).toThrow()
})

test('the buyer’s name, telephone number and address leave the free metadata of the same payment', async () => {
  const customer = { email: `third.${EMAIL}`, name: 'Nare Grig', phone: '+374 55 10-20-30' }
  const metadata = {
    gift: 'For  NARE from us',
    parcel: 'Grig, Nare, 2nd floor',
    call: '055 102030 or 0374 5510 2030',
    note: 'Nare',
    shelf: 'B2',
    pieces: 3,
  }
  const id = await pay(customer, { metadata })
  await run('customer', 'forget', '--email', `third.${EMAIL}`)
  const { rows } = await query('select customer, metadata from sandbox.payments where id = $1', [id])
  // One word of a name alone may be anything, such as the name of a tea.
  expect(rows).toEqual([
    { customer: null, metadata: { gift: 'For  NARE from us', note: 'Nare', shelf: 'B2', pieces: 3 } },
  ])
})
