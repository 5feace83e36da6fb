/**
 * Puts an account into each bad health for most of a day, and ends it. Meanwhile payments, renewals, refunds, captures and
 * saved methods wait. Afterwards they continue by themselves. Only a refund that could not be sent for a whole day fails. The
 * test prints what the API, the pages, the command line, the metric and the mail said.
 */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countAccountHealth } from '../storage/accounts/health.ts'
import {
  askOperation,
  createSession,
  lookUp,
  payAtBank,
  readCapabilities,
  readPage,
  sessionRequest,
} from '../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { decodedHeader, headersOf, type MailServer, startMailServer } from '../testing/mail-server.ts'
import { operateHere } from '../testing/operator.ts'
import {
  chargesOf,
  chooseCard,
  createSubscription,
  createToken,
  openToken,
  revokeToken,
  subscriptionRequest,
  tokenRequest,
} from '../testing/payments/subscriptions.ts'
import { passRealTime } from '../testing/real-time.ts'
import { startMails } from '../worker/mails.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { setAccount } from './set.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
type Bad = 'refusing' | 'unopenable' | 'away'

let kassa: Kassa
let mails: MailServer
const line = { is: 'open' as 'open' | 'refusing' | 'away' }
/** Stands before the simulated bank. */
const proxy = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  if (line.is === 'away') return void request.socket.destroy()
  if (line.is === 'refusing') return void response.writeHead(401).end('{}')
  const kept = ['authorization', 'content-type', 'idempotency-key']
  const headers = Object.entries(request.headers).filter(([name]) => kept.includes(name)) as [
    string,
    string,
  ][]
  const { method = 'GET', url = '/' } = request
  const given = {
    method,
    headers,
    redirect: 'manual',
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  } as const
  const answer = await fetch(kassa.url + url, given)
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
})
beforeAll(async () => {
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  mails = await startMailServer()
  const OPERATOR_EMAIL = 'operator@pay.example'
  kassa = await startKassa({
    settings: { SMTP_URL: mails.url, MAIL_FROM: 'receipts@pay.example', OPERATOR_EMAIL },
  })
})
afterAll(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await kassa.close()
  await mails.close()
})

const KINDS = [
  ...([
    'statusSync',
    'settledSync',
    'moneyOperations',
    'cardSavings',
    'cardRevocations',
    'renewals',
  ] as const),
  ...(['accountHealth', 'accountKeys', 'accountNotices'] as const),
]
async function work(): Promise<void> {
  kassa.ctx.accounts.forget()
  await kassa.ctx.accounts.read()
  for (const kind of KINDS) await SWEEPS[kind](kassa.ctx)
  const sending = startMails(kassa.ctx)
  await sending.turn()
  await sending.settle()
  await sending.stop()
}
async function pass(ms: number, stepMs: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    kassa.clock.advance(stepMs)
    await work()
  }
}

let orders = 0
type Account = { shop: Shop; accountId: string }
async function openAccount(bad: Bad, steps: 'one' | 'two', what = 'all'): Promise<Account> {
  const shop = await openShop(kassa.ctx)
  const CUSTOMER = `${bad}-${steps}-${what}`
  const SECRET = kassa.ctx.sandbox.bank.customers.secretOf(CUSTOMER)
  const ADDRESS = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/sandbox/bank`
  const written = { CUSTOMER, SECRET, ADDRESS, STEPS: steps, OPERATIONS: 'enabled', RENEWALS: 'enabled' }
  const given = {
    merchantId: shop.merchantId,
    route: 'route_a',
    driver: 'sandbox',
    currencies: undefined,
  } as const
  const { accountId } = await setAccount(kassa.ctx, { ...given, written })
  kassa.ctx.accounts.forget()
  return { shop, accountId }
}
async function create({ shop }: Account) {
  const key = `unwell-${++orders}`
  return createSession(kassa.url, shop, { key, body: sessionRequest({ merchantOrderId: key }) })
}
/** The bank's own address: the buyer's browser reaches the bank, also while this service does not. */
const atBank = (address: string) => kassa.url + new URL(address).pathname + new URL(address).search
async function paid(account: Account): Promise<string> {
  const { body } = await create(account)
  await payAtBank(atBank(body.providerCheckoutUrl), 'paid')
  await lookUp(kassa.url, account.shop, body.id)
  return body.id
}

async function spoil(accounts: Account[]): Promise<void> {
  const ids = [accounts.map(({ accountId }) => accountId)]
  await kassa.ctx.db.query(
    `update sandbox.account_credentials set sealed = decode(reverse(encode(sealed, 'hex')), 'hex') where account_id = any ($1)`,
    ids,
  )
  await kassa.ctx.db.query('update sandbox.accounts set version = version + 1 where id = any ($1)', ids)
}
async function begin(bad: Bad, accounts: Account[]): Promise<void> {
  if (bad === 'unopenable') return spoil(accounts)
  line.is = bad
}
async function mend(bad: Bad, accounts: Account[]): Promise<void> {
  if (bad === 'unopenable') return spoil(accounts)
  line.is = 'open'
}

async function statesOf({ shop }: Account) {
  const { rows } = await kassa.ctx.db.query<{ status: string }>(
    `select status from sandbox.payments where merchant_id = $1 union select status from sandbox.operations where merchant_id = $1
     union select status from sandbox.subscriptions where merchant_id = $1`,
    [shop.merchantId],
  )
  return rows.map(({ status }) => status)
}
/** What everybody is told now. */
async function readAll({ shop, accountId }: Account, page: string) {
  const [created, capabilities, counts] = [
    await create({ shop, accountId }),
    await readCapabilities(kassa.url, shop),
    await countAccountHealth(kassa.ctx.db),
  ]
  const { stdout } = await operateHere(async () => kassa.ctx, ['account', 'list', '--json'])
  const listed = JSON.parse(stdout).accounts.find(
    (each: { accountId: string }) => each.accountId === accountId,
  )
  const { readiness } = capabilities.body.providers.find(({ id }: { id: string }) => id === 'route_a')
  return {
    created:
      `${created.status} ${created.body.error?.code ?? ''} ${created.body.error?.retryable ?? ''}`.trim(),
    ready: readiness.enabledForPaymentCreation,
    page: /<h1[^>]*>([^<]*)/.exec((await readPage(`${kassa.url}/checkout/${page}`)).html)?.[1],
    listed: `${listed.health.state}: ${listed.health.reason}`,
    metric: counts.map(({ state, count }) => `${state} ${count}`).join(', '),
    mail: mails.arrived.map((each) => decodedHeader(headersOf(each).subject ?? '')).at(-1),
  }
}

const state = async (accountId: string) => {
  const { rows } = await kassa.ctx.db.query(
    'select state from sandbox.account_health where account_id = $1',
    [accountId],
  )
  return rows[0]?.state ?? 'ok'
}

for (const bad of ['refusing', 'unopenable', 'away'] as const)
  test(`${bad} for most of a day ends nothing, and all goes on by itself`, {
    tags: bad === 'away' ? [] : ['long'],
  }, async () => {
    mails.arrived.length = 0
    line.is = 'open'
    const [one, two] = [await openAccount(bad, 'one'), await openAccount(bad, 'two')]
    const { url } = kassa
    const card = await openToken(url, one.shop)
    const gone = await openToken(url, one.shop)
    const given = { body: subscriptionRequest(card, { merchantSubscriptionId: `box-${bad}` }) }
    const subscription = (await createSubscription(url, one.shop, given)).body.subscription.id
    await work()
    expect(await chargesOf(kassa, subscription)).toEqual(['paid'])
    kassa.clock.advance(29.5 * DAY_MS)
    await work()
    const refunded = await paid(one)
    const captured = await paid(two)
    const open = (await create(one)).body
    const saving = (await createToken(url, one.shop, { body: tokenRequest() })).body
    expect((await lookUp(url, two.shop, captured)).body.status).toBe('authorized')

    // The merchant asks just before the account goes bad. Nothing works on it in between.
    const { body: refund } = await askOperation(url, one.shop, refunded, 'refunds', {
      key: 'r',
      body: { amountMinor: 500, reason: 'broken' },
    })
    const { body: capture } = await askOperation(url, two.shop, captured, 'capture', { key: 'c', body: {} })
    expect([refund.operation?.status, capture.operation?.status]).toEqual(['queued', 'queued'])
    await begin(bad, [one, two])
    const begun = kassa.clock.now().getTime()
    expect((await revokeToken(url, one.shop, gone)).status).toBe(201)
    // The buyers go on at the bank, which works for them.
    await payAtBank(atBank(open.providerCheckoutUrl), 'paid')
    await chooseCard(atBank(saving.setupUrl), 'saved')
    for (let tries = 0; tries < 60 && (await state(one.accountId)) !== bad; tries++) {
      await lookUp(url, one.shop, open.id)
      await pass(10_000, 10_000)
    }
    expect(await state(one.accountId)).toBe(bad)
    const noticed = (kassa.clock.now().getTime() - begun) / 1_000
    await pass(3 * MINUTE_MS, MINUTE_MS)
    const during = await readAll(one, open.id)
    await pass(20 * HOUR_MS, 4 * HOUR_MS)
    const ended = ['failed', 'expired', 'cancelled', 'past_due', 'requires_operator_review', 'status_unknown']
    expect(
      [...(await statesOf(one)), ...(await statesOf(two))].filter((each) => ended.includes(each)),
    ).toEqual([])

    await mend(bad, [one, two])
    const mended = kassa.clock.now().getTime()
    // The breaker's pause goes by the time of the process.
    for (let tries = 0; tries < 40 && (await state(one.accountId)) !== 'ok'; tries++) {
      await pass(MINUTE_MS, MINUTE_MS)
      passRealTime(MINUTE_MS)
    }
    expect(await state(one.accountId)).toBe('ok')
    const over = (kassa.clock.now().getTime() - mended) / 1_000
    await pass(3 * MINUTE_MS, MINUTE_MS)
    const after = await readAll(one, open.id)
    console.log(bad, {
      noticedAfterSeconds: noticed,
      during,
      overAfterSeconds: over,
      after,
    })
    await expect
      .poll(
        async () => {
          await pass(2 * DAY_MS, 12 * HOUR_MS)
          const { body } = await lookUp(url, one.shop, open.id)
          const { body: back } = await lookUp(url, one.shop, refunded)
          const { body: taken } = await lookUp(url, two.shop, captured)
          const { rows } = await kassa.ctx.db.query(
            'select id, status from sandbox.saved_methods where merchant_id = $1',
            [one.shop.merchantId],
          )
          const methods = Object.fromEntries(rows.map((row) => [row.id, row.status]))
          return [
            body.status,
            back.status,
            taken.status,
            (await chargesOf(kassa, subscription)).slice(0, 2),
            methods[gone],
            methods[saving.token.id],
          ]
        },
        { interval: 100 },
      )
      .toEqual(['paid', 'partially_refunded', 'paid', ['paid', 'paid'], 'revoked', 'active'])
  })

for (const bad of ['refusing', 'unopenable', 'away'] as const)
  test(`a renewal is neither tried, failed nor lost while its account is ${bad} for nine days`, {
    tags: bad === 'unopenable' ? [] : ['long'],
  }, async () => {
    line.is = 'open'
    const account = await openAccount(bad, 'one', 'renewal')
    const { url } = kassa
    const card = await openToken(url, account.shop)
    const body = subscriptionRequest(card, { merchantSubscriptionId: `renewal-${bad}` })
    const { id } = (await createSubscription(url, account.shop, { body })).body.subscription
    await work()
    // A month has 28 days at least.
    kassa.clock.advance(27 * DAY_MS)
    const { body: open } = await create(account)
    await begin(bad, [account])
    for (let tries = 0; tries < 60 && (await state(account.accountId)) !== bad; tries++) {
      await lookUp(url, account.shop, open.id)
      await pass(10_000, 10_000)
    }
    expect(await state(account.accountId)).toBe(bad)
    const seen = new Set<string>()
    for (let day = 0; day < 9; day++) {
      await pass(DAY_MS, DAY_MS)
      for (const each of await renewalsOf(id)) seen.add(each)
    }
    const unharmed = ['active', 'created', 'paid', 'pending_payment']
    expect([...seen].filter((each) => !unharmed.includes(each))).toEqual([])
    expect(await countSent(id)).toBe(1)
    await mend(bad, [account])
    await expect
      .poll(
        async () => {
          await pass(6 * HOUR_MS, 3 * HOUR_MS)
          return renewalsOf(id)
        },
        { interval: 100 },
      )
      .toEqual(['active', 'paid', 'paid'])
  })

/** How the subscription stands, and each of its charges. */
async function renewalsOf(subscriptionId: string): Promise<string[]> {
  const { rows } = await kassa.ctx.db.query('select status from sandbox.subscriptions where id = $1', [
    subscriptionId,
  ])
  return [rows[0].status, ...(await chargesOf(kassa, subscriptionId))]
}

/** The charges that left, or may have left. */
async function countSent(subscriptionId: string): Promise<number> {
  const { rows } = await kassa.ctx.db.query(
    'select count(sent_at)::int as sent from sandbox.subscription_charges where subscription_id = $1',
    [subscriptionId],
  )
  return rows[0].sent
}
