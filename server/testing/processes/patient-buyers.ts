/**
 * Buyers who pay one order after the other, and repeat what failed, as a shop and a browser do. Runs beside the service on a
 * machine of its own: `node patient-buyers.ts TOKEN BUYERS UNTIL-THIS-FILE-EXISTS`. Prints one line of JSON.
 */
import { existsSync } from 'node:fs'

const [token = '', buyers = '1', endFile = ''] = process.argv.slice(2)
const PUBLIC = /^https:\/\/pay\.example/
const LOCAL = 'http://127.0.0.1:3000'
const PAUSE_MS = 100
const TRIES_MAX = 3_000
const seen = { orders: 0, paid: 0, repeated: 0 }
const ids = new Set<string>()
const auth = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

async function call(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = { 'x-forwarded-proto': 'https', ...init.headers }
  const signal = AbortSignal.timeout(10_000)
  const answer = await fetch(url.replace(PUBLIC, LOCAL), { ...init, headers, signal, redirect: 'manual' })
  if (answer.status >= 400) throw new Error(`${answer.status} ${await answer.text()}`)
  return answer
}

async function insist<T>(attempt: () => Promise<T | null>): Promise<T> {
  let last: unknown
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    try {
      const found = await attempt()
      if (found !== null) return found
    } catch (error) {
      last = error
    }
    seen.repeated++
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  throw new Error('A buyer gave up', { cause: last })
}

async function buy(order: string): Promise<void> {
  const body = JSON.stringify({
    ...{ merchantOrderId: order, amountMinor: 190_000, currency: 'AMD' },
    returnUrl: 'https://pay.example/demo/thanks.html',
  })
  const headers = { ...auth, 'idempotency-key': order }
  const session = await insist(async () =>
    (await call(`${LOCAL}/v1/payment-sessions`, { method: 'POST', headers, body })).json(),
  )
  ids.add(session.id)
  await insist(async () => {
    await (await call(session.providerCheckoutUrl)).text()
    const chosen = { method: 'POST', body: new URLSearchParams({ outcome: 'paid' }) }
    const back = await call(session.providerCheckoutUrl.split('?')[0], chosen)
    await (await call(back.headers.get('location') ?? '')).text()
    return true
  })
  await insist(async () => {
    const found = await (await call(`${LOCAL}/v1/payments?paymentId=${session.id}`, { headers: auth })).json()
    return found.status === 'paid' ? true : null
  })
  seen.paid++
}

await Promise.all(
  Array.from({ length: Number(buyers) }, async (_, buyer) => {
    for (let turn = 0; !existsSync(endFile); turn++) {
      seen.orders++
      await buy(`buyer-${buyer}-${turn}`)
    }
  }),
)
console.log(JSON.stringify({ ...seen, payments: ids.size }))
