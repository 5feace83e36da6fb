/**
 * Measures what a stranger's calls cost at every endpoint and page, and compares it with what the endpoint declares. The accounts are
 * of the simulated PayPal, so that every request to a provider is seen.
 */
import { once } from 'node:events'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cost } from '../limits/cost.ts'
import { countStatements } from '../testing/attacks/cost-meter.ts'
import { DECLARED, type Declared } from '../testing/attacks/costs.ts'
import { connectTo } from '../testing/attacks/raw-http.ts'
import { createLink, createSession } from '../testing/calls.ts'
import { SHOP_ORIGIN } from '../testing/harness.ts'
import { send } from '../testing/light-http.ts'
import { createToken } from '../testing/payments/subscriptions.ts'
import { setPaypalScene } from '../testing/providers/paypal-scene.ts'
import { forgetCached, holdRealTime } from '../testing/real-time.ts'
import { closeAfter } from '../testing/scene.ts'

/** How many calls are measured one by one. */
const SINGLE = 2
/** What the limits on a few calls allow here. */
const FEW = 4
/** After so many calls of one address every limit on a few calls is used up, also that of five log lines for each reason. */
const BEFORE_FLOOD = 10
const FLOOD = 3
/** A cache that the call before has filled saves all six statements of a page. */
const SLACK = 6
const NOTHING: Cost = { statements: 0, provider: 0, lines: 0, rows: 0 }
const PARTS = Object.keys(NOTHING) as (keyof Cost)[]

let lines = 0
let providerRequests = 0
let countRows = async () => 0
const statements = countStatements()
/** The ids of addresses that a stranger may know. */
let known: Record<string, string> = {}
let forged: { headers: Record<string, string>; body: string }

const scene = closeAfter(
  await setPaypalScene({
    // The default limits, but for those that are used up here: as many calls as they allow would take long.
    settings: {
      TRUST_PROXY: '1',
      RATE_LIMITS: `callback_rejected=0.1:${FEW},widget_address=0.1:${FEW},failed_token=0.1:${FEW}`,
    },
    onRequest: () => providerRequests++,
  }),
)
beforeAll(async () => {
  const { kassa, shop, accountId } = scene
  countRows = await rowCounter()
  const { publicKey } = shop
  const session = await createSession(kassa.url, shop, { key: 'known' })
  const link = await createLink(kassa.url, shop, { key: 'known' })
  const token = await createToken(kassa.url, shop)
  await scene.pay()
  const [sent] = scene.server.takeSent()
  if (!sent) throw new Error('PayPal has sent nothing.')
  forged = { headers: sent.headers, body: sent.body.replace('USD', 'EUR') }
  known = {
    paymentId: session.body.id,
    linkId: link.body.linkId,
    tokenId: token.body.token.id,
    publicKey,
    productId: 'tea',
    account: accountId,
    accountId,
    subscriptionId: 'sub_test_x',
    slot: '0123456789abcdef',
    picture: `${'0'.repeat(40)}.png`,
    customer: 'kassa',
    reference: 'x',
  }
})
afterAll(() => statements.stop())

/**
 * Returns a function that counts the rows of all tables. The buckets that processes share are written once a second for all callers
 * together: see limits/shared-buckets.test.ts.
 */
async function rowCounter(): Promise<() => Promise<number>> {
  const { db, exchangeLog } = scene.kassa.ctx
  const { rows: tables } = await db.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('kassa', 'sandbox', 'sandbox_jobs') and tablename <> 'shared_buckets'`,
  )
  const counts = tables.map(({ name }) => `(select count(*) from ${name})`).join(' + ')
  // A statement with a name is planned once for each connection. Planning takes far longer than counting.
  const counting = { name: 'count_all_rows', text: `select (${counts})::int as count` }
  return async () => {
    await exchangeLog.flush()
    return Number((await db.query(counting)).rows[0].count)
  }
}

type Caller = 'knows nothing' | 'knows the address'

/** Another id of the same form, and of the same length. */
const unknownLike = (id: string) =>
  id.slice(0, -12) + [...id.slice(-12)].map((char) => (char === 'y' ? 'z' : 'y')).join('')

function pathOf({ path }: Declared, caller: Caller): string {
  const value = (name: string) => known[name] ?? 'x'
  return path.replaceAll(/:(\w+)/g, (_, name: string) =>
    caller === 'knows the address' ? value(name) : unknownLike(value(name)),
  )
}

let clicks = 0

/** What a program would send that knows the interface. */
function sentTo(
  { method, path }: Declared,
  caller: Caller,
): { headers: Record<string, string>; body?: string } {
  if (path === '/api/widget/checkout') {
    const publicKey = caller === 'knows nothing' ? unknownLike(known.publicKey ?? '') : known.publicKey
    const origin = caller === 'knows nothing' ? `https://shop${clicks}.example` : SHOP_ORIGIN
    const headers = { origin, 'content-type': 'application/json' }
    if (method === 'OPTIONS') return { headers: { origin: `https://shop${clicks++}.example` } }
    const click = { publicKey, productId: 'tea', clientReference: `click-${clicks++}`, returnUrl: '/thanks' }
    return { headers, body: JSON.stringify(click) }
  }
  if (path.startsWith('/callbacks/') && method === 'POST') return forged
  if (path.startsWith('/v1/')) {
    const token =
      caller === 'knows nothing' ? {} : { authorization: `Bearer ${unknownLike(scene.shop.token)}` }
    return {
      headers: { ...token, 'content-type': 'application/json' },
      ...(method !== 'GET' && { body: '{}' }),
    }
  }
  return method === 'POST'
    ? { headers: {}, body: new URLSearchParams({ outcome: 'x' }).toString() }
    : { headers: {} }
}

const places = new Map<string, number>()
/** An address of its own for each endpoint and caller, because limits count by address. */
function addressFor(name: string): string {
  const place = places.get(name) ?? places.size + 1
  places.set(name, place)
  return `198.51.${place >> 8}.${place & 255}`
}

async function ask(target: Declared, caller: Caller): Promise<void> {
  const { headers, body } = sentTo(target, caller)
  const from = addressFor(`${target.method} ${target.path} ${caller}`)
  await send(scene.kassa.url + pathOf(target, caller), {
    method: target.method,
    headers: {
      'x-forwarded-for': from,
      ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  })
}

/** Returns what each of the calls costs. The rows after one of them are the rows before the next. */
async function measure(calls: (() => Promise<void>)[]): Promise<Cost[]> {
  const costs: Cost[] = []
  let rows = await countRows()
  for (const call of calls) {
    const cost = await measureOne(call, rows)
    costs.push(cost)
    rows += cost.rows
  }
  return costs
}

/** `rows`: in the database before the call. */
async function measureOne(call: () => Promise<void>, rows: number): Promise<Cost> {
  const before = { lines, providerRequests }
  statements.take()
  await call()
  const sent = statements.take().filter((name) => !name.endsWith('shared_buckets')).length
  const added = (await countRows()) - rows
  // The line of a request is written when its connection is free, which can be after the caller has the response.
  return {
    statements: sent,
    provider: providerRequests - before.providerRequests,
    lines: lines - before.lines,
    rows: added,
  }
}

const most = (one: Cost, other: Cost): Cost =>
  Object.fromEntries(PARTS.map((part) => [part, Math.max(one[part], other[part])])) as Cost

async function measureCaller(target: Declared, caller: Caller) {
  // The limits of log lines and of questions about a payment begin anew.
  scene.kassa.ctx.log = pino({ base: null }, { write: () => lines++ })
  scene.kassa.clock.advance(5_000)
  forgetCached()
  const call = () => ask(target, caller)
  const single = (await measure(Array(SINGLE).fill(call))).reduce(most, NOTHING)
  for (let each = SINGLE; each < BEFORE_FLOOD; each++) await call()
  const [together = NOTHING] = await measure([
    async () => {
      for (let each = 0; each < FLOOD; each++) await call()
    },
  ])
  const flood = Object.fromEntries(PARTS.map((part) => [part, Math.round(together[part] / FLOOD)])) as Cost
  return { once: single, flood }
}

describe.each(DECLARED.map((target) => [`${target.method} ${target.path}`, target] as const))(
  '%s',
  (_, target) => {
    test('costs a stranger’s caller what it declares', async () => {
      const one = await holdRealTime(() => measureCaller(target, 'knows nothing'))
      const other = await holdRealTime(() => measureCaller(target, 'knows the address'))
      const measured = { once: most(one.once, other.once), flood: most(one.flood, other.flood) }
      const { once: single, flood } = target.stranger
      for (const [name, declared] of Object.entries({ once: single, flood })) {
        const found = measured[name as 'once' | 'flood']
        // More than it declares, or a declaration that has become too large.
        expect({ [name]: found }).toEqual({
          [name]: {
            ...declared,
            statements: expect.toSatisfy((count: number) => count <= declared.statements),
          },
        })
        expect(declared.statements - found.statements).toBeLessThanOrEqual(SLACK)
      }
    }, 60_000)

    test.each(['knows nothing', 'knows the address'] as const)(
      'reads no more of a body than it declares (a caller who %s)',
      async (caller) => {
        if (target.method === 'GET' || target.method === 'OPTIONS') return
        const { body, bodyOfUnknown = body } = target.stranger
        const bytes = caller === 'knows nothing' ? bodyOfUnknown : body
        const socket = await connectTo(scene.kassa.url)
        const { headers } = sentTo(target, caller)
        const sent = { host: 'x', 'x-forwarded-for': addressFor(`body ${target.path} ${caller}`), ...headers }
        const type =
          bytes > 0 && !('content-type' in sent)
            ? { 'content-type': 'application/x-www-form-urlencoded' }
            : {}
        const head = Object.entries({ ...type, ...sent, 'content-length': String(bytes + 1) })
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join('')
        socket.write(`${target.method} ${pathOf(target, caller)} HTTP/1.1\r\n${head}\r\n`)
        // A service that waits for the body answers 408 when it gives up.
        const [answer] = (await once(socket, 'data')) as [Buffer]
        socket.destroy()
        expect(answer.toString('latin1').slice(0, 12)).toMatch(/^HTTP\/1\.1 (?!408)/)
      },
      30_000,
    )
  },
)
