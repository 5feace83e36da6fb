import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Checkout, createCheckout } from './checkout.ts'
import type { WidgetConfig } from './config.ts'

const API = 'https://pay.example'
const accepted = { status: 201, body: { ok: true, checkoutUrl: `${API}/pay/1` } }
const broken = { status: 503, body: { ok: false, error: { code: 'provider_unavailable', message: 'down' } } }
const reused = {
  status: 422,
  body: { ok: false, error: { code: 'idempotency_key_reused', message: 'reused' } },
}

let sent: string[]
let answers: { status: number; body: object }[]
let announced: string[]
let failures: (object | undefined)[]
let left: string[]
let cancelled: Set<string>
let config: WidgetConfig
let checkout: Checkout
let isHeld: boolean
let isFramed: boolean
let onClick: () => void
let count = 0

beforeEach(() => {
  vi.useFakeTimers()
  sent = []
  answers = []
  announced = []
  failures = []
  left = []
  cancelled = new Set()
  isHeld = false
  isFramed = false
  onClick = () => {}
  vi.stubGlobal('fetch', (_: string, { body, signal }: RequestInit) => {
    sent.push(JSON.parse(String(body)).clientReference)
    const answer = answers.shift()
    return new Promise((done, fail) => {
      signal?.addEventListener('abort', () => fail(signal.reason))
      if (answer) setTimeout(() => done(Response.json(answer.body, { status: answer.status })), 100)
    })
  })
  config = {
    apiOrigin: API,
    publicKey: 'kpk_1',
    productId: `tea-${++count}`,
    locale: 'en',
  } as WidgetConfig
  checkout = createCheckout({
    config: () => config,
    announce(name, detail) {
      if (name === 'error') failures.push(detail)
      announced.push(name === 'state' ? Object.values(detail ?? {}).join() : name)
      if (name === 'click') onClick()
      return !cancelled.has(name)
    },
    explain: ({ code }) => void announced.push(`explained ${code}`),
    go(url) {
      if (isHeld) throw new Error('held')
      left.push(url)
      return !isFramed
    },
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a click sends one request and goes to the checkout', async () => {
  answers = [accepted]
  void checkout.start()
  await vi.advanceTimersByTimeAsync(100)
  expect(announced).toEqual(['click', 'loading', 'redirect', 'redirecting'])
  expect(left).toEqual([`${API}/pay/1?locale=en`])
})

test('a double click sends one request', async () => {
  answers = [accepted, accepted]
  for (let i = 0; i < 10; i++) void checkout.start()
  await vi.advanceTimersByTimeAsync(100)
  void checkout.start()
  await vi.advanceTimersByTimeAsync(100)
  expect(sent).toHaveLength(1)
  expect(left).toHaveLength(1)
})

test('a failure is announced and explained, and the retry uses the same reference', async () => {
  answers = [broken, accepted]
  void checkout.start()
  await vi.advanceTimersByTimeAsync(100)
  expect(checkout.phase.value).toBe('error')
  expect(failures).toEqual([{ code: 'provider_unavailable', message: 'down', retryable: true }])
  expect(announced.slice(2)).toEqual(['error', 'explained provider_unavailable', 'error'])
  void checkout.start()
  await vi.advanceTimersByTimeAsync(100)
  expect(left).toHaveLength(1)
  expect(new Set(sent).size).toBe(1)
})

test('only a failure that another press may mend offers one, also after one of the other kind', async () => {
  const refused = { status: 422, body: { ok: false, error: { code: 'product_unknown', message: 'no' } } }
  const closed = { ...broken, body: { ok: false, error: { code: 'provider_unavailable', retryable: false } } }
  answers = [refused, broken, closed, broken]
  const offered = []
  for (let press = 0; press < 4; press++) {
    void checkout.start()
    await vi.advanceTimersByTimeAsync(100)
    offered.push([checkout.phase.value, checkout.canRetry()])
  }
  expect(offered).toEqual([false, true, false, true].map((canRetry) => ['error', canRetry]))
})

test('a reference that the server knows with another body is replaced once', async () => {
  answers = [reused, accepted]
  void checkout.start()
  await vi.advanceTimersByTimeAsync(200)
  expect(new Set(sent).size).toBe(2)
  expect(left).toHaveLength(1)

  checkout.reset()
  answers = [reused, reused, accepted]
  void checkout.start()
  await vi.advanceTimersByTimeAsync(300)
  expect(checkout.phase.value).toBe('error')
})

test('a request without a response times out after 15 seconds', async () => {
  void checkout.start()
  await vi.advanceTimersByTimeAsync(14_999)
  expect(checkout.phase.value).toBe('loading')
  await vi.advanceTimersByTimeAsync(1)
  expect(failures).toMatchObject([{ code: 'timeout' }])
})

test('a page’s own fetch that ignores the abort signal times out after 15 seconds too', async () => {
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  void checkout.start()
  await vi.advanceTimersByTimeAsync(15_000)
  expect(checkout.phase.value).toBe('error')
  expect(failures).toMatchObject([{ code: 'timeout', retryable: true }])
})

test('a response after the time-out is ignored', async () => {
  const late = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', () => late.promise)
  void checkout.start()
  await vi.advanceTimersByTimeAsync(15_000)
  late.resolve(Response.json(accepted.body))
  await vi.advanceTimersByTimeAsync(1)
  expect([checkout.phase.value, left]).toEqual(['error', []])
})

test('where the browser refuses the redirect there is a link, and another start uses the same reference', async () => {
  answers = [accepted, accepted]
  isHeld = true
  void checkout.start()
  await vi.advanceTimersByTimeAsync(100)
  expect([checkout.phase.value, checkout.link()]).toEqual(['blocked', `${API}/pay/1?locale=en`])
  expect(failures).toMatchObject([{ code: 'redirect_refused', retryable: true }])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(checkout.phase.value).toBe('blocked')
  isHeld = false
  void checkout.start()
  await vi.advanceTimersByTimeAsync(100)
  expect(left).toHaveLength(1)
  expect(new Set(sent).size).toBe(1)
})

test('in a frame the link stands there while the tab may be moving, and nothing is called an error', async () => {
  answers = [accepted]
  isFramed = true
  void checkout.start()
  await vi.advanceTimersByTimeAsync(100)
  expect(left).toEqual([`${API}/pay/1?locale=en`])
  expect([checkout.phase.value, checkout.link()]).toEqual(['blocked', `${API}/pay/1?locale=en`])
  expect([failures, announced.slice(-2)]).toEqual([[], ['redirecting', 'blocked']])
  checkout.reset()
  expect(checkout.phase.value).toBe('idle')
})

test('the request uses the configuration after the changes of a click listener', async () => {
  onClick = () => {
    config = { ...config, order: 'order-17' }
  }
  answers = [accepted]
  void checkout.start()
  await vi.advanceTimersByTimeAsync(100)
  expect(sent[0]).toMatch(/^order-17\./)
})

test('after a redirect that does not happen the button is idle again within 20 seconds', async () => {
  answers = [accepted]
  void checkout.start()
  await vi.advanceTimersByTimeAsync(100 + 19_999)
  expect(checkout.phase.value).toBe('redirecting')
  await vi.advanceTimersByTimeAsync(1)
  expect(checkout.phase.value).toBe('idle')
})

test('a reset ignores the response of the running request', async () => {
  answers = [accepted]
  void checkout.start()
  checkout.reset()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(checkout.phase.value).toBe('idle')
  expect(left).toEqual([])
})

test('a cancelled click sends nothing', async () => {
  cancelled.add('click')
  await checkout.start()
  expect(sent).toEqual([])
  expect(checkout.phase.value).toBe('idle')
})

test('after a cancelled redirect event the page decides where to go', async () => {
  cancelled.add('redirect')
  answers = [accepted]
  void checkout.start()
  await vi.advanceTimersByTimeAsync(100)
  expect(left).toEqual([])
  expect(checkout.phase.value).toBe('idle')
})

const asking = (amountMinor: number, currency = 'USD') => ({
  status: 200,
  body: { ...accepted.body, amountMinor, currency },
})
async function press(...next: typeof answers) {
  answers = next
  void checkout.start()
  await vi.advanceTimersByTimeAsync(100)
  return [checkout.phase.value, checkout.newPrice.value?.text, left.length]
}

test('a button with an old price says the new one first, and the next press goes on with the same reference', async () => {
  config = { ...config, price: '$15.00' }
  expect(await press(asking(1600))).toEqual(['changed', '$16.00', 0])
  expect(announced).toEqual(['click', 'loading', 'explained price_changed', 'changed'])
  expect(await press(asking(1600))).toEqual(['redirecting', '$16.00', 1])
  expect(sent).toHaveLength(2)
  expect(new Set(sent).size).toBe(1)
  // Back from the checkout, the button knows the new price.
  checkout.reset()
  expect(await press(asking(1600))).toEqual(['redirecting', '$16.00', 2])
})

test('each price that the buyer has not seen is told, also a second one and one of another product', async () => {
  config = { ...config, price: '$15.00' }
  await press(asking(1600))
  expect(await press(asking(1700))).toEqual(['changed', '$17.00', 0])
  // The page corrects its price, to one that is old again.
  config = { ...config, price: '$16' }
  expect(await press(asking(1700))).toEqual(['changed', '$17', 0])
  config = { ...config, productId: `${config.productId}-2` }
  expect(await press(asking(1700))).toEqual(['changed', '$17', 0])
})

test.each([
  ['the price is right', '$15.00', undefined, asking(1500)],
  ['the page writes another currency', '€14.00', undefined, asking(1500)],
  ['the text is no price', 'from $14', undefined, asking(1500)],
  ['the label has no place for it', '$14.00', 'Buy', asking(1500)],
  ['there is no price', undefined, undefined, asking(1500)],
  ['the answer has no amount', '$14.00', undefined, accepted],
])('the first press goes on where %s', async (_, price, label, answer) => {
  config = { ...config, price, label }
  expect(await press(answer)).toEqual(['redirecting', undefined, 1])
})
