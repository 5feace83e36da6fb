/**
 * Anybody who knows a callback address can post to it. PayPal alone can tell whether a webhook is its own, so each forged one would
 * cause a request to PayPal, stored exchanges and log lines.
 */
import { pino } from 'pino'
import { beforeAll, expect, test } from 'vitest'
import { setPaypalScene } from '../testing/providers/paypal-scene.ts'
import { closeAfter } from '../testing/scene.ts'

const VERIFY = '/v1/notifications/verify-webhook-signature'
const BURST = 10
const FORGED = 30

let verified = 0
/** Questions about orders. */
let questions = 0
const lines: Record<string, unknown>[] = []
const scene = closeAfter(
  await setPaypalScene({
    settings: { TRUST_PROXY: '1', RATE_LIMITS: `callback_rejected=0.001:${BURST}` },
    onRequest: ({ method, url }) => {
      if (url === VERIFY) verified++
      if (method === 'GET' && url.startsWith('/v2/checkout/orders/')) questions++
    },
  }),
)
beforeAll(async () => {
  scene.kassa.ctx.log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
})

/** A webhook that PayPal has really sent, with another amount. */
async function forge() {
  await scene.pay()
  const sent = scene.server.takeSent()
  const [first] = sent
  if (!first) throw new Error('PayPal has sent nothing.')
  const genuine = () => Promise.all(sent.map((each) => post(each, '192.0.2.200')))
  return { genuine, forged: { ...first, body: first.body.replace('USD', 'EUR') } }
}

type Sent = { headers: Record<string, string>; body: string }
async function post({ headers, body }: Sent, from: string): Promise<number> {
  const answer = await fetch(scene.callbackUrl, {
    method: 'POST',
    headers: { ...headers, 'x-forwarded-for': from },
    body,
  })
  await answer.text()
  return answer.status
}

const storedExchanges = async () => {
  await scene.kassa.ctx.exchangeLog.flush()
  const { rows } = await scene.kassa.ctx.db.query(
    'select count(*)::int as count from sandbox.provider_exchanges',
  )
  return rows[0].count as number
}

test('of the forged callbacks of one address only the first few are relayed, stored and logged', async () => {
  const { forged, genuine } = await forge()
  const [before, verifiedBefore] = [await storedExchanges(), verified]
  const statuses: number[] = []
  for (let each = 0; each < FORGED; each++) statuses.push(await post(forged, '192.0.2.1'))
  expect(statuses.filter((status) => status === 403)).toHaveLength(BURST)
  expect(statuses.filter((status) => status === 429)).toHaveLength(FORGED - BURST)
  expect(verified - verifiedBefore).toBe(BURST)
  expect((await storedExchanges()) - before).toBeLessThanOrEqual(BURST)
  // PayPal's own callbacks come from elsewhere.
  expect(new Set(await genuine())).toEqual(new Set([200]))
})

test('forged callbacks from many addresses leave few log lines', async () => {
  const { forged } = await forge()
  lines.length = 0
  const addresses = Array.from({ length: 80 }, (_, index) => `198.51.100.${index}`)
  for (const address of addresses) expect(await post(forged, address)).toBe(403)
  const rejected = lines.filter(({ msg }) => msg === 'callback rejected')
  expect(rejected.length).toBeGreaterThan(0)
  expect(rejected.length).toBeLessThan(40)
})

test('callbacks that wait for PayPal delay neither new payments nor the questions that are due', {
  tags: ['long'],
}, async () => {
  const { forged } = await forge()
  let waiting = 0
  scene.proxy.slowDown({ ms: 8_000, isMeant: (_method, path) => path === VERIFY && ++waiting > 0 })
  let answered = 0
  const flood = Array.from({ length: 60 }, (_, index) =>
    post(forged, `203.0.113.${index}`).then(() => answered++),
  )
  try {
    await expect.poll(() => waiting).toBeGreaterThanOrEqual(8)
    expect((await scene.open()).status).toBe(201)
    const before = questions
    // PayPal reports what happens, so an order that nobody has reached is asked about at its expiry.
    await scene.later(91 * 60_000)
    expect([questions > before, answered]).toEqual([true, 0])
  } finally {
    scene.proxy.slowDown(null)
    await Promise.all(flood)
  }
})
