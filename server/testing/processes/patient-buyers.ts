/**
 * Buyers who pay one order after the other, and repeat what failed, as a shop and a browser do. Runs beside the service on a
 * machine of its own: `node patient-buyers.ts TOKEN BUYERS UNTIL-THIS-FILE-EXISTS [ADDRESS...]`. Prints one line of JSON. With
 * several addresses of the service the requests take turns, and an address that cannot be reached is passed over. Each third order is
 * refunded.
 */
import { existsSync } from 'node:fs'

const [token = '', buyers = '1', endFile = '', ...given] = process.argv.slice(2)
const addresses = given.length > 0 ? given : ['http://127.0.0.1:3000']
const PAUSE_MS = 100
const TRIES_MAX = 3_000
const AMOUNT_MINOR = 190_000
const seen = { orders: 0, paid: 0, refunded: 0, repeated: 0 }
const ids = new Set<string>()
const refunds = new Set<string>()
let turns = 0
const auth = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

async function call(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = { 'x-forwarded-proto': 'https', ...init.headers }
  const signal = AbortSignal.timeout(10_000)
  const { pathname, search } = new URL(url, addresses[0])
  const first = turns++
  let answer: Response | null = null
  for (let tries = 1; !answer; tries++) {
    const address = addresses[(first + tries) % addresses.length]
    answer = await fetch(`${address}${pathname}${search}`, {
      ...init,
      headers,
      signal,
      redirect: 'manual',
    }).catch((error) => {
      if (tries < addresses.length) return null
      throw error
    })
  }
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
    merchantOrderId: order,
    amountMinor: AMOUNT_MINOR,
    currency: 'AMD',
    returnUrl: 'https://pay.example/demo/thanks.html',
  })
  const headers = { ...auth, 'idempotency-key': order }
  const session = await insist(async () =>
    (await call('/v1/payment-sessions', { method: 'POST', headers, body })).json(),
  )
  ids.add(session.id)
  await insist(async () => {
    await (await call(session.providerCheckoutUrl)).text()
    const chosen = { method: 'POST', body: new URLSearchParams({ outcome: 'paid' }) }
    const back = await call(session.providerCheckoutUrl.split('?')[0], chosen)
    await (await call(back.headers.get('location') ?? '')).text()
    return true
  })
  await insist(async () => ((await statusOf(session.id)) === 'paid' ? true : null))
  seen.paid++
  if (seen.paid % 3 === 0) await refund(session.id)
}

async function statusOf(payment: string): Promise<string> {
  return (await (await call(`/v1/payments?paymentId=${payment}`, { headers: auth })).json()).status
}

async function refund(payment: string): Promise<void> {
  const headers = { ...auth, 'idempotency-key': `refund-${payment}` }
  const body = JSON.stringify({ amountMinor: AMOUNT_MINOR, reason: 'sent back' })
  const { operation } = await insist(async () =>
    (await call(`/v1/payments/${payment}/refunds`, { method: 'POST', headers, body })).json(),
  )
  refunds.add(operation.id)
  await insist(async () => ((await statusOf(payment)) === 'refunded' ? true : null))
  seen.refunded++
}

await Promise.all(
  Array.from({ length: Number(buyers) }, async (_, buyer) => {
    for (let turn = 0; !existsSync(endFile); turn++) {
      seen.orders++
      await buy(`buyer-${buyer}-${turn}`)
    }
  }),
)
console.log(JSON.stringify({ ...seen, payments: ids.size, refunds: refunds.size }))
