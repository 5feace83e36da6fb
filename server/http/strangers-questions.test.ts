/** Anybody who knows a payment's address can open it as often as they like. Few of these visits cause a question to the provider. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Driver } from '../providers/driver.ts'
import { payAtBank } from '../testing/calls.ts'
import { createToken } from '../testing/payments/subscriptions.ts'
import { openScene } from '../testing/scene.ts'

const VISITS = 60
const INTERVAL_MS = 3_000
/** The first clicks and returns of a buyer ask at once, however often others have asked. */
const AT_ONCE_MAX = 5

const { kassa, shop, open } = await openScene()
let driver: Driver
let questions = 0
beforeAll(async () => {
  driver = kassa.ctx.routes.route_a.driver as Driver
  const counted = <Given extends unknown[], Answer>(ask: (...given: Given) => Answer) => {
    return (...given: Given) => {
      questions++
      return ask(...given)
    }
  }
  const { lookUp, lookUpToken } = driver
  if (!lookUp || !lookUpToken) throw new Error('the bank must be asked')
  kassa.ctx.routes.route_a.driver = {
    ...driver,
    lookUp: counted(lookUp),
    lookUpToken: counted(lookUpToken),
  } as Driver
})
beforeEach(() => {
  questions = 0
})

/** Opens the addresses in turns. Returns how many questions one claim of three seconds allows meanwhile. */
async function visit(requests: (() => Promise<Response>)[]): Promise<number> {
  const started = performance.now()
  for (let each = 0; each < VISITS; each += 10)
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const answer = await requests[index % requests.length]?.()
        await answer?.text()
      }),
    )
  return 1 + Math.ceil((performance.now() - started) / INTERVAL_MS)
}
const get = (path: string) => () => fetch(`${kassa.url}${path}`, { redirect: 'manual' })
const post = (path: string) => () => fetch(`${kassa.url}${path}`, { method: 'POST', redirect: 'manual' })

test.each(['continue', 'return', ''])('60 visits of /checkout/ID/%s', async (page) => {
  const { id } = await open()
  const request = page === 'continue' ? post : get
  const allowed = await visit([request(`/checkout/${id}/${page}`)])
  const atOnce = { continue: AT_ONCE_MAX, return: 1 }[page] ?? 0
  expect(questions).toBeLessThanOrEqual(allowed + atOnce)
})

test('60 visits of all pages of a payment in turns', async () => {
  const { id } = await open()
  const pages = [get(`/checkout/${id}`), post(`/checkout/${id}/continue`), get(`/checkout/${id}/return`)]
  const allowed = await visit(pages)
  expect(questions).toBeLessThanOrEqual(allowed + 2 * AT_ONCE_MAX)
})

test('60 visits of /payment-method-tokens/ID/return', async () => {
  const { id } = (await createToken(kassa.url, shop)).body.token
  const allowed = await visit([get(`/payment-method-tokens/${id}/return`)])
  expect(questions).toBeLessThanOrEqual(allowed + 1)
})

test('a buyer who comes back from the bank is asked about at once, although others have just asked', async () => {
  const { id, providerCheckoutUrl } = await open()
  await visit([get(`/checkout/${id}`)])
  expect(await payAtBank(providerCheckoutUrl, 'paid')).toContain('https://shop.example/')
})

test('a buyer whose card was declined tries again at once, and is asked about when he comes back', async () => {
  const { id, providerCheckoutUrl } = await open()
  await payAtBank(providerCheckoutUrl, 'declined')
  const again = await post(`/checkout/${id}/continue`)()
  const page = again.headers.get('location') ?? ''
  expect(page).toContain('/sandbox/bank/')
  expect(page).not.toBe(providerCheckoutUrl)
  expect(await payAtBank(page, 'paid')).toContain('https://shop.example/')
})
