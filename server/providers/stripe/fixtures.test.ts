/**
 * Compares the simulator, called through the official package, with Stripe's official fixtures key by key. The fixtures are
 * outside the project, in the folder that SPECS_DIR names. They are older than the package. Where the two differ, the package's
 * declarations are right, and the difference is listed here.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Stripe from 'stripe'
import { afterAll, expect, test } from 'vitest'
import { choose } from '../../testing/providers/stripe/checkout.ts'
import { startStripeServer } from '../../testing/providers/stripe-server.ts'
import { API_VERSION } from './client.ts'

const fixtures = join(process.env.SPECS_DIR ?? '', 'stripe-fixtures3.json')
const isThere = process.env.SPECS_DIR !== undefined && existsSync(fixtures)
if (!isThere) console.info('SPECS_DIR names no folder with Stripe’s fixtures: their test is skipped')

/** These are in the declarations of the pinned version, but not yet in the fixtures. */
const NEW = [
  'charge.payment_method_details.card.electronic_commerce_indicator',
  'checkout.session.allowed_payment_method_types',
  'dispute.evidence_details.submission_method',
  'dispute.intended_submission_method',
  'payment_intent.allowed_payment_method_types',
  'payment_intent.payment_record',
  'setup_intent.allowed_payment_method_types',
  'setup_intent.customer_account',
  'setup_intent.managed_payments',
]

type Json = Record<string, unknown>
const stripeServer = isThere
  ? await startStripeServer(
      () => new Date(),
      async () => 200,
    )
  : null
afterAll(() => stripeServer?.close())

const kindOf = (value: unknown) => (Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value)

/** An expandable member is an id or an object; null says nothing about the type. */
function isAlike(one: unknown, other: unknown): boolean {
  const kinds = [kindOf(one), kindOf(other)]
  if (kinds.includes('null')) return true
  const isId = (value: unknown) => typeof value === 'string' && /^[a-z]+_\w+$/.test(value)
  if (isId(one) || isId(other)) return kinds.every((kind) => kind === 'string' || kind === 'object')
  return kinds[0] === kinds[1]
}

test.skipIf(!stripeServer)('every object has the keys and types of the official one', async () => {
  if (!stripeServer) return
  const shown = await showAll()
  const { resources } = JSON.parse(readFileSync(fixtures, 'utf8')) as {
    resources: Record<string, Json>
  }
  const found = Object.entries(shown).map(([name, ours]) => compare(name, ours, resources[name] ?? {}))
  const keys = found.reduce((sum, { common }) => sum + common, 0)
  console.info(`${found.length} objects, ${keys} keys in both, ${NEW.length} newer than the fixtures`)
  expect({
    missing: found.flatMap(({ missing }) => missing).sort(),
    extra: found.flatMap(({ extra }) => extra).sort(),
    types: found.flatMap(({ types }) => types).sort(),
  }).toEqual({ missing: [], extra: NEW, types: [] })
})

type Comparison = { common: number; missing: string[]; extra: string[]; types: string[] }

/** Compares members that are objects in both. Metadata has names of the caller's own, and an event contains any object. */
function compare(path: string, ours: Json, theirs: Json): Comparison {
  const common = Object.keys(ours).filter((key) => key in theirs)
  const own: Comparison = {
    common: common.length,
    missing: Object.keys(theirs)
      .filter((key) => !(key in ours))
      .map((key) => `${path}.${key}`),
    extra: Object.keys(ours)
      .filter((key) => !(key in theirs))
      .map((key) => `${path}.${key}`),
    types: common.filter((key) => !isAlike(ours[key], theirs[key])).map((key) => `${path}.${key}`),
  }
  const inner = common
    .filter((key) => key !== 'metadata' && `${path}.${key}` !== 'event.data')
    .filter((key) => kindOf(ours[key]) === 'object' && kindOf(theirs[key]) === 'object')
    .map((key) => compare(`${path}.${key}`, ours[key] as Json, theirs[key] as Json))
  return inner.reduce(
    (sum, each) => ({
      common: sum.common + each.common,
      missing: [...sum.missing, ...each.missing],
      extra: [...sum.extra, ...each.extra],
      types: [...sum.types, ...each.types],
    }),
    own,
  )
}

/** Returns one object of each kind that the driver reads, as the package returns it. */
async function showAll(): Promise<Record<string, Json>> {
  if (!stripeServer) return {}
  const { books } = stripeServer
  const key = 'sk_test_fixturesKey01'
  const account = stripeServer.openAccount('acct_fixtures1', [key])
  account.isFull = true
  account.endpoints.push({ url: 'https://kassa.example/x', secrets: ['whsec_x'], events: ['*'] })
  const { hostname, port } = new URL(stripeServer.origin)
  const stripe = new Stripe(key, {
    apiVersion: API_VERSION,
    host: hostname,
    port,
    protocol: 'http',
    telemetry: false,
    maxNetworkRetries: 0,
  })
  const created = await stripe.checkout.sessions.create({
    mode: 'payment',
    success_url: 'https://kassa.example/',
    line_items: [
      {
        quantity: 1,
        price_data: { currency: 'usd', unit_amount: 1900, product_data: { name: 'simulate inquiry' } },
      },
    ],
  })
  const open = account.sessions.get(created.id)
  if (!open) throw new Error('the session is not in the books')
  choose(books, account, open, 'visa')
  const session = await stripe.checkout.sessions.retrieve(created.id)
  const intent = await stripe.paymentIntents.retrieve(String(session.payment_intent), {
    expand: ['latest_charge.refunds', 'latest_charge.balance_transaction'],
  })
  const charge = intent.latest_charge as Stripe.Charge
  const refund = await stripe.refunds.create({ payment_intent: intent.id, amount: 100 })
  const setup = await stripe.checkout.sessions.create({
    mode: 'setup',
    currency: 'usd',
    customer_creation: 'always',
    success_url: 'https://kassa.example/',
  })
  const saving = account.sessions.get(setup.id)
  if (saving) choose(books, account, saving, 'visa')
  const saved = await stripe.checkout.sessions.retrieve(setup.id, { expand: ['setup_intent.payment_method'] })
  const setupIntent = saved.setup_intent as Stripe.SetupIntent
  const disputed = [...account.charges.values()][0]
  if (disputed) disputed.disputed = true
  const { newDispute } = await import('../../testing/providers/stripe/more-objects.ts')
  const dispute = newDispute(books, charge, 'needs_response')
  account.disputes.set(dispute.id, dispute)
  const { data: disputes } = await stripe.disputes.list({ charge: charge.id })
  const webhook = account.webhooks[0]?.body ?? '{}'
  return {
    'checkout.session': plain(session),
    payment_intent: plain({ ...intent, latest_charge: charge.id }),
    charge: plain({ ...charge, balance_transaction: 'txn_1' }),
    balance_transaction: plain(charge.balance_transaction),
    refund: plain(refund),
    setup_intent: plain({ ...setupIntent, payment_method: 'pm_1' }),
    payment_method: plain(setupIntent.payment_method),
    dispute: plain(disputes[0]),
    event: plain(JSON.parse(webhook)),
  }
}

function plain(object: unknown): Json {
  return JSON.parse(JSON.stringify(object)) as Json
}
