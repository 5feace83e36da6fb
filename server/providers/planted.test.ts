/**
 * Plants credentials, card numbers and data of buyers at Stripe and PayPal, and then searches everything that the service
 * writes: the log, every table, responses of the API, pages, output of operators' commands, and backups.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { askOperation, lookUp, readCapabilities, readPage } from '../testing/calls.ts'
import { operateHere } from '../testing/operator.ts'
import { type ProviderName, ROUTES, setBothProviders } from '../testing/providers/both-providers.ts'
import { actAsBuyer, CLIENT_SECRET } from '../testing/providers/paypal-server.ts'
import { STRIPE_KEY, STRIPE_SECRET } from '../testing/providers/stripe-scene.ts'
import { closeAfter } from '../testing/scene.ts'
import { SWEEPS } from '../worker/sweeps.ts'

/** A number with a valid check digit, in an error text of the provider. */
const CARD_NUMBER = '4242424242424242'
const PLANTED = [
  CARD_NUMBER,
  STRIPE_KEY,
  STRIPE_SECRET,
  '_secret_simulated',
  'planted.buyer',
  'Planted Buyer',
  'Planted Street',
  '+37400000000',
  CLIENT_SECRET,
  'A21AA-simulated',
  'buyer-of-the-simulator',
  'Buyername',
  'QYR5Z8XDVJNXQ',
]
const WHILE_MS = 5_000
const PROVIDERS = ['stripe', 'paypal'] as const satisfies ProviderName[]

const logLines: string[] = []
/** The paid payment of each provider. */
const paid = {} as Record<ProviderName, string>
/** The responses of the API, including errors. */
const answers: string[] = []

/** `where`: shown in the message of a failure. */
function expectClean(where: string, text: string): void {
  expect([where, PLANTED.filter((each) => text.includes(each))]).toEqual([where, []])
}
const keep = <Answer>(answer: Answer): Answer => {
  answers.push(JSON.stringify(answer))
  return answer
}

async function decline(provider: ProviderName): Promise<void> {
  const { stripe, open, orderAt } = both
  const opened = await open(provider)
  if (provider === 'stripe') {
    stripe.buyer(opened, 'declined')
    const intent = stripe.account.intents.get(String(stripe.sessionAt(opened).payment_intent))
    Object.assign(intent?.last_payment_error ?? {}, { message: `Card ${CARD_NUMBER} of Planted Buyer` })
  } else {
    orderAt(opened).refusal = `NO_${CARD_NUMBER}`
    await fetch(await actAsBuyer(opened.url, 'decline'), { redirect: 'manual' })
  }
  both.kassa.clock.advance(WHILE_MS)
  await readPage(opened.page)
}

async function pay(provider: ProviderName): Promise<string> {
  const { stripe, paypal, kassa, shop, open } = both
  const opened = await open(provider)
  const location = provider === 'stripe' ? null : await actAsBuyer(opened.url, 'pay')
  if (provider === 'stripe') stripe.buyer(opened, 'visa')
  await fetch(location ?? `${opened.page}/return`, { redirect: 'manual' })
  await stripe.later(0)
  const webhooks = [
    ...stripe.webhooks().map(({ headers, body }) => ({ headers, body: body.toString() })),
    ...paypal.takeSent(),
  ]
  const callback = `${kassa.url}/callbacks/${kassa.ctx.routes[ROUTES[provider]].id}`
  // Sends each webhook unchanged, and then changed.
  for (const { headers, body } of webhooks)
    for (const sent of [body, `${body.slice(0, -1)},"card":"${CARD_NUMBER}"}`])
      keep(await (await fetch(callback, { method: 'POST', headers, body: sent })).text())
  expect(keep(await lookUp(kassa.url, shop, opened.id)).body.status).toBe('paid')
  return opened.id
}

/** Here the provider refuses the credentials, so that errors are logged. */
async function refundInTrouble(provider: ProviderName): Promise<void> {
  const { stripe, paypal, kassa, shop } = both
  const request = { key: `planted-${provider}`, body: { amountMinor: 500, reason: 'returned' } }
  keep(await askOperation(kassa.url, shop, paid[provider], 'refunds', request))
  stripe.account.keys.clear()
  paypal.account.secret = 'another'
  paypal.account.accessTokens.clear()
  await SWEEPS.moneyOperations(kassa.ctx)
  stripe.account.keys.add(STRIPE_KEY)
  paypal.account.secret = CLIENT_SECRET
  kassa.clock.advance(60_000)
  await SWEEPS.moneyOperations(kassa.ctx)
}

const both = closeAfter(await setBothProviders({ logLines }))
beforeAll(async () => {
  for (const provider of PROVIDERS) {
    await decline(provider)
    paid[provider] = await pay(provider)
    await refundInTrouble(provider)
  }
  keep(await readCapabilities(both.kassa.url, both.shop))
  await both.kassa.ctx.exchangeLog.flush()
})

describe('nothing planted is in', () => {
  test('the log, which tells of refused credentials and rejected callbacks', () => {
    const text = logLines.join('')
    for (const message of [
      'callback rejected',
      'does not accept the secret key',
      'does not accept the client id',
    ])
      expect([message, text.includes(message)]).toEqual([message, true])
    expectClean('the log', text)
  })

  test('any table, with the exchanges of both providers', async () => {
    const { db } = both.kassa.ctx
    const tables = await db.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_schema in ('sandbox', 'kassa') and table_type = 'BASE TABLE'`,
    )
    expect(tables.rows.length).toBeGreaterThan(20)
    const kept: string[] = []
    for (const { name } of tables.rows) {
      const all = await db.query<{ row: unknown }>(`select to_jsonb(t) as row from ${name} t`)
      kept.push(...all.rows.map(({ row }) => `${name} ${JSON.stringify(row)}`))
    }
    for (const path of ['checkout/sessions', 'v2/checkout/orders', 'v1/refunds', '/refund'])
      expect(kept.some((row) => row.startsWith('sandbox.provider_exchanges') && row.includes(path))).toBe(
        true,
      )
    for (const row of kept) expectClean(row.slice(0, 40), row)
  })

  test('an answer of the API, or a page in any state', async () => {
    expectClean('answers', answers.join('\n'))
    for (const provider of PROVIDERS)
      for (const part of ['', '/receipt']) {
        const { status, html } = await readPage(`${both.kassa.url}/checkout/${paid[provider]}${part}`)
        expect(status).toBe(200)
        expectClean(`the page ${part} of ${provider}`, html)
      }
  })

  test('what operators read, or a backup lists', async () => {
    const { kassa } = both
    const folder = await mkdtemp(join(tmpdir(), 'kassa-planted-'))
    const copy = join(folder, 'copy')
    const ids = PROVIDERS.map((provider) => kassa.ctx.routes[ROUTES[provider]].id)
    const commands = [
      ['route', 'list'],
      ['account', 'list'],
      ...ids.map((id) => ['account', 'test', '--account', id]),
      ...PROVIDERS.map((provider) => ['payment', 'show', '--payment', paid[provider]]),
      ['backup', 'create', '--to', copy],
    ]
    for (const command of commands) {
      const { stdout, stderr } = await operateHere(async () => kassa.worlds, command)
      expect([command, stdout.length > 100 || stderr]).toEqual([command, true])
      expectClean(command.join(' '), `${stdout}${stderr}`)
    }
    expectClean('the manifest', await readFile(join(copy, 'manifest.json'), 'utf8'))
    await rm(folder, { recursive: true })
  })
})
