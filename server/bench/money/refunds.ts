/**
 * Refunds at a steady rate, without `Prefer` and with `Prefer: wait=3`: how long a response takes, and how many of them have the
 * result. All refunds have to succeed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../processes.ts'
import { type Checkout, openScene } from '../scene.ts'

const PER_SECOND = 67
const SECONDS = 5
const PAYMENTS = 60
const AT_ONCE = 6
const ASK_EVERY_MS = 100
const SETTLED_WITHIN_MS = 60_000

type Answer = { status: number; operation: string; ms: number }
type Shop = { url: string; checkout: Checkout }

const headersOf = ({ checkout }: Shop, key: string) => ({
  authorization: `Bearer ${checkout.token}`,
  'content-type': 'application/json',
  'idempotency-key': key,
})

async function pay(shop: Shop, number: number): Promise<string> {
  const body = {
    merchantOrderId: `bench-${number}`,
    amountMinor: 1_000_000,
    currency: 'USD',
    returnUrl: 'https://shop.example/thanks',
  }
  const answer = await fetch(`${shop.url}/v1/payment-sessions`, {
    method: 'POST',
    headers: headersOf(shop, `pay-${number}`),
    body: JSON.stringify(body),
  })
  const { id, providerCheckoutUrl } = (await answer.json()) as { id: string; providerCheckoutUrl: string }
  // The simulated bank's page, its form, and the way back, as a buyer's browser goes.
  const page = await fetch(providerCheckoutUrl)
  const paid = await fetch(page.url.split('?')[0] ?? '', {
    method: 'POST',
    body: new URLSearchParams({ outcome: 'paid' }),
    redirect: 'manual',
  })
  await fetch(paid.headers.get('location') ?? '', { redirect: 'manual' })
  return id
}

async function refund(shop: Shop, paymentId: string, key: string, prefer: string | null): Promise<Answer> {
  const started = performance.now()
  const send = () =>
    fetch(`${shop.url}/v1/payments/${paymentId}/refunds`, {
      method: 'POST',
      headers: { ...headersOf(shop, key), ...(prefer !== null && { prefer }) },
      body: JSON.stringify({ amountMinor: 1, reason: 'bench' }),
    })
  // After a pause the service may close a kept connection at this moment. The key makes it safe to send again.
  const answer = await send().catch(send)
  const { operation } = (await answer.json()) as { operation?: { status: string } }
  return { status: answer.status, operation: operation?.status ?? '', ms: performance.now() - started }
}

/** Sends at fixed times, whether or not the responses have come, as buyers and shops do. */
async function measure(
  shop: Shop,
  { run, payments, prefer }: { run: number; payments: readonly string[]; prefer: string | null },
): Promise<void> {
  const started = performance.now()
  const answers: Promise<Answer>[] = []
  for (let number = 0; number < PER_SECOND * SECONDS; number++) {
    const waitMs = started + (number * 1_000) / PER_SECOND - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    const paymentId = payments[number % payments.length] ?? ''
    answers.push(refund(shop, paymentId, `${run}-${number}`, prefer))
  }
  const all = await Promise.all(answers)
  const lastMs = performance.now() - started
  await settle(shop)
  const ms = all.map((each) => each.ms).sort((one, other) => one - other)
  const at = (share: number) => (ms[Math.floor(ms.length * share)] ?? 0).toFixed(0)
  const decided = all.filter(({ operation }) => operation === 'succeeded').length
  const created = all.filter(({ status }) => status === 201).length
  console.log(
    `${prefer ?? 'without Prefer'}: ${all.length} refunds in ${(lastMs / 1_000).toFixed(1)} s, ${created} accepted, ${decided} with their result; response p50 ${at(0.5)} ms, p99 ${at(0.99)} ms; the last one was done ${((performance.now() - started - lastMs) / 1_000).toFixed(1)} s after the last response`,
  )
}

/** @throws Error if a refund does not succeed */
async function settle({ checkout: { db } }: Shop): Promise<void> {
  for (const end = performance.now() + SETTLED_WITHIN_MS; ; await sleep(ASK_EVERY_MS)) {
    const { rows } = await db.query(
      `select count(*) filter (where status in ('queued', 'processing'))::int as open,
         count(*) filter (where status not in ('queued', 'processing', 'succeeded'))::int as wrong from sandbox.operations`,
    )
    const [{ open, wrong }] = rows
    if (wrong > 0) throw new Error(`${wrong} refunds did not succeed.`)
    if (open === 0) return
    if (performance.now() > end) throw new Error(`${open} refunds are still open.`)
  }
}

await using stack = new AsyncDisposableStack()
const [checkout] = (await openScene(stack, [])).checkouts
if (!checkout) throw new Error('Bug! The scene has no checkout.')
const PORT = String(await freePort())
const server = await checkout.start({ PORT })
stack.defer(server.stop)
await server.port
const shop = { url: `http://localhost:${PORT}`, checkout }
const payments: string[] = []
for (let number = 0; number < PAYMENTS; number += AT_ONCE)
  payments.push(
    ...(await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => pay(shop, number + index)))),
  )
for (const [run, prefer] of [null, 'wait=3'].entries()) await measure(shop, { run, payments, prefer })
