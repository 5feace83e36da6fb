/** Floods above the rate limits. `npm test` runs small ones, `npm run test:long` large ones. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../limits/settings.ts'
import { call, clickWidget, createSession, lookUp, sessionRequest } from '../testing/calls.ts'
import { type Kassa, openShop, SHOP_ORIGIN, type Shop, startKassa } from '../testing/harness.ts'

type Answer = Awaited<ReturnType<typeof call>>

/**
 * The test harness turns the limits off. The limits of an address over all keys and pages are higher than the default, because the large
 * flood of one key would use them up too.
 */
const HIGHER = 'widget_caller=50:1000,page=50:1000'
/** Limits of tokens. The large floods are above those that a service has by default. */
type Limits = Record<'write' | 'lookup', { perSecond: number; burst: number }>
const AT_ONCE = 20

/** Sends `count` requests as fast as possible. */
async function flood(count: number, send: (index: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  let next = 0
  async function lane(): Promise<void> {
    for (let index = next++; index < count; index = next++) answers.push(await send(index))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return answers
}

/**
 * Sends `times` as many requests as the burst. Expects that the burst and the refilled permits pass, and that all others get 429
 * with Retry-After.
 */
async function expectLimited(
  times: number,
  { name, perSecond, burst }: { name: string; perSecond: number; burst: number },
  send: (index: number) => Promise<Answer>,
  otherwise?: number,
): Promise<void> {
  const started = performance.now()
  const answers = await flood(burst * times, send)
  const gained = Math.ceil(((performance.now() - started) / 1000) * perSecond)
  const refused = answers.filter(({ status }) => status === 429)
  const passed = answers.length - refused.length
  expect(passed).toBeGreaterThanOrEqual(burst)
  expect(passed).toBeLessThanOrEqual(burst + gained)
  for (const { status } of answers) expect([otherwise ?? 200, 201, 429]).toContain(status)
  for (const { body, headers } of refused) {
    expect(body.error).toMatchObject({ code: 'rate_limited', retryable: true })
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(Math.ceil(1 / perSecond))
    expect(headers.get('ratelimit')).toMatch(new RegExp(`"${name}";r=0;t=\\d+`))
  }
  const policy = `"${name}";q=${burst};w=${Math.ceil(burst / perSecond)}`
  for (const { headers } of answers) expect(headers.get('ratelimit-policy')).toContain(policy)
}

const settingOf = (limits: Limits) =>
  Object.entries(limits).map(([name, { perSecond, burst }]) => `${name}=${perSecond}:${burst}`)

/** Registers the tests. Each flood is `times` as large as the burst. */
export function testFloods(times: number, limits: Limits = DEFAULT_LIMITS): void {
  describe('past its limit', () => {
    let kassa: Kassa
    let shop: Shop
    let other: Shop
    beforeAll(async () => {
      kassa = await startKassa({ settings: { RATE_LIMITS: [HIGHER, ...settingOf(limits)].join() } })
      shop = await openShop(kassa.ctx)
      other = await openShop(kassa.ctx)
    })
    afterAll(() => kassa.close())

    test('a token above the write limit gets 429 for any body, and another token does not', async () => {
      await expectLimited(times, { name: 'write', ...limits.write }, () =>
        createSession(kassa.url, shop, { key: 'one' }),
      )
      const broken = await createSession(kassa.url, shop, { body: '{' })
      expect([429, 422]).toContain(broken.status)
      expect((await createSession(kassa.url, other, { key: 'one' })).status).toBe(201)
    })

    test('a token above the look-up limit gets 429, and may still write', async () => {
      const { body } = await createSession(kassa.url, other, { key: 'two' })
      await expectLimited(times, { name: 'lookup', ...limits.lookup }, () =>
        lookUp(kassa.url, other, body.id),
      )
      expect((await createSession(kassa.url, other, { key: 'two' })).status).toBe(200)
    })

    test('an address above the limit of one key gets 429, even if it forges another X-Forwarded-For each time', async () => {
      const click = (index: number) =>
        call(`${kassa.url}/api/widget/checkout`, {
          headers: { origin: SHOP_ORIGIN, 'x-forwarded-for': `10.${index % 200}.${index % 256}.1` },
          body: { publicKey: shop.publicKey, productId: 'tea', clientReference: 'click' },
        })
      await expectLimited(times, { name: 'widget_address', perSecond: 1 / 3, burst: 20 }, click)
      const refused = await click(1)
      expect(refused.status).toBe(429)
      // The page's script can read the error.
      expect(refused.headers.get('access-control-allow-origin')).toBe(SHOP_ORIGIN)
      expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After')
      expect((await clickWidget(kassa.url, other)).status).toBe(201)
    })

    test('an address with too many wrong tokens gets 429 instead of 401, and valid tokens from it still work', async () => {
      const wrong = `${shop.token.slice(0, -1)}${shop.token.endsWith('0') ? '1' : '0'}`
      const send = (token: string) =>
        call(`${kassa.url}/v1/payment-sessions`, {
          headers: { authorization: `Bearer ${token}`, 'idempotency-key': 'three' },
          body: sessionRequest(),
        })
      await expectLimited(
        times,
        { name: 'failed_token', perSecond: 1 / 6, burst: 10 },
        () => send(wrong),
        401,
      )
      expect((await send(other.token)).status).toBe(201)
      expect((await call(`${kassa.url}/v1/payments`, { method: 'GET' })).body.error.code).toBe(
        'missing_token',
      )
    })

    test('health is never limited and has no RateLimit headers', async () => {
      const answers = await flood(50 * times, () => call(`${kassa.url}/api/health`, { method: 'GET' }))
      expect(answers.filter(({ status }) => status !== 200)).toEqual([])
      expect(answers[0]?.headers.get('ratelimit')).toBeNull()
    })
  })
}
